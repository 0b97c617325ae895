package walkthrough

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/archive/demo/monthend"
)

// program stands in for fees: each step ends with its expected code and writes its file.
type program struct {
	ran []string
	end map[string]int // other codes, by the command
}

func (p *program) run(_ context.Context, args []string, stdout, _ io.Writer) int {
	command := strings.Join(append([]string{"fees"}, args...), " ")
	p.ran = append(p.ran, command)
	io.WriteString(stdout, "output "+command+"\n")
	if code, is := p.end[command]; is {
		return code
	}
	for _, s := range steps {
		if s.command == command {
			if s.file != "" {
				os.WriteFile(s.file, []byte(strings.Repeat("a line\n", shownLines)+"the next line\n"), 0o600)
			}
			return s.code
		}
	}
	return -1
}

// lead runs the walk in a new directory, with the typed input; nil for --yes.
func lead(t *testing.T, p *program, typed io.Reader) (stdout, stderr string, err error) {
	var out, errors bytes.Buffer
	w := walk{program: p.run, stdout: &out, stderr: &errors}
	if typed != nil {
		w.enter = lines(typed)
	}
	err = w.lead(t.Context(), filepath.Join(t.TempDir(), "try"))
	return out.String(), errors.String(), err
}

// Each step is shown, run in the directory and explained; --yes does not wait for Enter.
func TestWalk(t *testing.T) {
	before, err := os.Getwd()
	require.NoError(t, err)
	t.Setenv("FEES_LEDGER", "other.db")
	p := &program{}
	stdout, stderr, err := lead(t, p, nil)
	require.NoError(t, err)
	require.Empty(t, stderr)
	at := 0
	for _, s := range steps {
		for _, part := range []string{s.title + "\n", "$ " + s.command + "\n", "output " + s.command + "\n", "Meaning: "} {
			i := strings.Index(stdout[at:], part)
			require.GreaterOrEqual(t, i, 0, part)
			at += i
		}
	}
	require.Equal(t, 1, strings.Count(stdout, "Exit code 1, because of the planted differences."))
	require.Contains(t, stdout, "First lines of january.journal:\n    a line\n")
	require.NotContains(t, stdout, "the next line")
	require.NotContains(t, stdout, "[Press Enter")
	require.Contains(t, stdout, "unset FEES_LEDGER,")
	require.Len(t, p.ran, len(steps))
	after, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Equal(t, "other.db", os.Getenv("FEES_LEDGER"))
}

// One Enter is one step. When input ends, the walk ends and reports how far it got.
func TestEnter(t *testing.T) {
	p := &program{}
	stdout, _, err := lead(t, p, strings.NewReader(strings.Repeat("\n", len(steps))))
	require.NoError(t, err)
	require.Equal(t, len(steps), strings.Count(stdout, "[Press Enter"))
	require.Len(t, p.ran, len(steps))

	p = &program{}
	_, _, err = lead(t, p, strings.NewReader("\n\n"))
	require.EqualError(t, err, "standard input ended after 2 of 10 steps")
	require.Len(t, p.ran, 2)
}

// Ctrl-C while waiting for Enter stops the walk.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	typed, keyboard := io.Pipe()
	defer keyboard.Close()
	w := walk{program: (&program{}).run, stdout: io.Discard, stderr: io.Discard, enter: lines(typed)}
	require.ErrorIs(t, w.lead(ctx, filepath.Join(t.TempDir(), "try")), context.Canceled)
	w.enter = nil
	require.ErrorIs(t, w.lead(ctx, filepath.Join(t.TempDir(), "try")), cli.ErrStopped)
}

// A step with an unexpected exit code ends the walk.
func TestOtherCode(t *testing.T) {
	for _, code := range []int{0, 4} {
		p := &program{end: map[string]int{steps[5].command: code}}
		_, stderr, err := lead(t, p, nil)
		require.ErrorIs(t, err, cli.ErrFinding)
		require.Contains(t, stderr, "fees: "+steps[5].command+": exit code ")
		require.Len(t, p.ran, 6)
	}
	p := &program{end: map[string]int{steps[7].command: 0}} // but no file was written
	_, _, err := lead(t, p, nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// README.txt lists the commands of the walk in order.
func TestReadmeHasTheSteps(t *testing.T) {
	text, err := fs.ReadFile(monthend.Files(), "README.txt")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "The commands of fees demo, in this directory:\n\n")
	require.True(t, found)
	list, _, _ := strings.Cut(after, "\n\n")
	var want []string
	for _, s := range steps {
		want = append(want, "    "+s.command)
	}
	require.Equal(t, strings.Join(want, "\n"), list)
}

// Without a terminal the command requires --yes and creates nothing. A directory that is not empty is
// left unchanged.
func TestRefused(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "my try")
	called := func(in io.Reader, args ...string) error {
		c := New((&program{}).run)
		c.SetArgs(args)
		c.SetIn(in)
		c.SetOut(io.Discard)
		c.SetErr(io.Discard)
		c.SilenceErrors, c.SilenceUsage = true, true
		return c.ExecuteContext(t.Context())
	}
	err := called(strings.NewReader("\n"), directory)
	require.EqualError(t, err, "cannot wait for Enter because standard input is not a terminal; run fees demo '"+directory+"' --yes")
	require.NoDirExists(t, directory)

	require.NoError(t, os.MkdirAll(directory, 0o777))
	require.NoError(t, called(nil, directory, "--yes"), "it is empty")
	require.EqualError(t, called(nil, directory, "--yes"), "directory "+directory+" is not empty; name another one: fees demo '"+directory+"-2'")
	require.Error(t, called(nil, filepath.Join(directory, "README.txt"), "--yes"), "it is a file")
}
