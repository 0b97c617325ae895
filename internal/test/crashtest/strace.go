package crashtest

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
)

// traced are the system calls that change files, or that identify a file.
const traced = "open,openat,creat,close,dup,dup2,dup3,write,pwrite64,writev,pwritev,pwritev2,copy_file_range,sendfile,splice,lseek," +
	"truncate,ftruncate,fallocate,mmap,fsync,fdatasync,sync_file_range,syncfs,sync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,symlink,symlinkat"

// Run runs a program and returns its changes to the files of a directory. The program must succeed. The test is skipped if
// strace was not requested.
func Run(t testing.TB, directory string, cmd *exec.Cmd) *History {
	t.Helper()
	directory, err := filepath.EvalSymlinks(directory)
	require.NoError(t, err)
	h, err := newHistory(directory)
	require.NoError(t, err)
	said, err := h.run(t, cmd)
	require.NoError(t, err, "%s", said)
	require.NotEmpty(t, h.events, "the program changed nothing")
	return h
}

// run runs a program and records its changes.
func (h *History) run(t testing.TB, cmd *exec.Cmd, options ...string) (said string, err error) {
	t.Helper()
	h.descriptors = map[int64]*opened{}
	file := filepath.Join(t.TempDir(), "trace")
	out, ended := under(t, cmd, append([]string{"-xx", "-s", "1000000000", "-o", file, "-e", "trace=" + traced}, options...)...).CombinedOutput()
	trace, err := os.Open(file)
	require.NoError(t, err)
	defer trace.Close()
	require.NoError(t, h.read(trace))
	return string(out), ended
}

// RunFailing runs a program and makes system calls with a name fail with an error, such as pwrite64 with ENOSPC: the n-th
// of each thread, and with onwards all later ones. It returns the program's output and result.
func RunFailing(t testing.TB, cmd *exec.Cmd, call, failure string, n int, onwards bool) (said string, err error) {
	t.Helper()
	when := strconv.Itoa(n)
	if onwards {
		when += "+"
	}
	out, err := under(t, cmd, "-o", os.DevNull, "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:error=%s:when=%s", call, failure, when)).CombinedOutput()
	return string(out), err
}

// under returns a command that runs a program under strace.
func under(t testing.TB, cmd *exec.Cmd, options ...string) *exec.Cmd {
	t.Helper()
	program.Ask(t, program.Strace)
	if err := watches(); err != nil {
		program.Missing(t, program.Strace, "strace is not allowed to trace programs: "+err.Error())
	}
	watched := exec.Command("strace", slices.Concat([]string{"-f", "--seccomp-bpf"}, options, []string{cmd.Path}, cmd.Args[1:])...)
	watched.Env, watched.Dir = cmd.Env, cmd.Dir
	return watched
}

// watches checks that strace is installed and allowed to trace.
var watches = sync.OnceValue(func() error {
	return exec.Command("strace", "-f", "--seccomp-bpf", "-o", os.DevNull, "-e", "trace=fsync", os.Args[0], "-test.list", "^$").Run()
})

// call is a completed system call.
type call struct {
	name      string
	arguments []string
	result    int64
	begun     int // number of events when it began
}

// read reads the output of strace.
func (h *History) read(trace io.Reader) error {
	lines := bufio.NewReaderSize(trace, 1<<20)
	type begun struct {
		text   string
		events int
	}
	unfinished := map[string]begun{}
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		thread, text, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		text = strings.TrimLeft(text, " ")
		if strings.HasPrefix(text, "+++") || strings.HasPrefix(text, "---") {
			continue
		}
		if part, ok := strings.CutSuffix(text, " <unfinished ...>"); ok {
			unfinished[thread] = begun{part, len(h.events)}
			continue
		}
		events := len(h.events)
		if strings.HasPrefix(text, "<... ") {
			_, rest, _ := strings.Cut(text, " resumed>")
			text, events = unfinished[thread].text+rest, unfinished[thread].events
		}
		c, err := parseCall(text)
		if err != nil {
			return err
		}
		if c.begun = events; c.result < 0 && c.name != "fsync" && c.name != "fdatasync" {
			continue
		}
		if err := h.happened(c); err != nil {
			return fmt.Errorf("%w: %.200s", err, text)
		}
	}
}

func parseCall(text string) (c call, err error) {
	name, rest, ok := strings.Cut(text, "(")
	at := strings.LastIndex(rest, " = ")
	if !ok || at < 0 {
		return c, fmt.Errorf("unexpected output of strace: %.200s", text)
	}
	list := strings.TrimSuffix(strings.TrimRight(rest[:at], " "), ")")
	result, _, _ := strings.Cut(rest[at+3:], " ")
	if c.name = name; list != "" {
		c.arguments = strings.Split(list, ", ") // texts are hexadecimal and contain no commas
	}
	if result == "?" { // the program ended in it
		c.result = -1
		return c, nil
	}
	c.result, err = strconv.ParseInt(result, 0, 64)
	return c, err
}

// text decodes a string argument.
func (c call) text(i int) (string, error) {
	quoted := c.arguments[i]
	if !strings.HasPrefix(quoted, `"`) || !strings.HasSuffix(quoted, `"`) {
		return "", fmt.Errorf("%s: %.50s is not a complete text", c.name, quoted)
	}
	text, err := hex.DecodeString(strings.ReplaceAll(strings.Trim(quoted, `"`), `\x`, ""))
	return string(text), err
}

func (c call) number(i int) int64 {
	n, _ := strconv.ParseInt(c.arguments[i], 0, 64)
	return n
}

func (c call) has(i int, flag string) bool {
	return len(c.arguments) > i && strings.Contains("|"+c.arguments[i]+"|", "|"+flag+"|")
}
