package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
)

// The complete manual and the man pages contain every command, flag and example; man reads the pages without
// warnings.
func TestManual(t *testing.T) {
	t.Setenv("COLUMNS", "200")
	all, stderr, code := fees("help", "--all")
	require.Equal(t, exitOK, code, stderr)
	directory := filepath.Join(t.TempDir(), "man1")
	_, stderr, code = fees("help", "--man-pages", directory)
	require.Equal(t, exitOK, code, stderr)

	pages := 0
	for c := range cli.Explained(newRoot(io.Discard, io.Discard)) {
		pages++
		help := all
		if c.HasParent() {
			require.Equal(t, 1, strings.Count(all, "\n\n"+c.CommandPath()+"\n==="), c.CommandPath())
			_, help, _ = strings.Cut(all, "\n\n"+c.CommandPath()+"\n===")
		}
		help, _, _ = strings.Cut(help, "\n===")
		page, err := os.ReadFile(filepath.Join(directory, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
		require.NoError(t, err)
		text := strings.NewReplacer(`\-`, "-", `\e`, `\`, `\&`, "", `\fB`, "", `\fI`, "", `\fR`, "").Replace(string(page))
		flags := 0
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" || f.Name == "version" || f.Name == cli.AllFlags {
				return
			}
			flags++
			require.Contains(t, help, "--"+f.Name, c.CommandPath())
			require.Contains(t, text, "--"+f.Name, c.CommandPath())
		})
		require.Equal(t, flags, strings.Count(string(page), "\n\\fB\\-"), "%s: each flag once", c.CommandPath())
		for line := range strings.Lines(c.Example) {
			require.Contains(t, text, strings.TrimSpace(line), c.CommandPath())
		}
	}
	files, err := os.ReadDir(directory)
	require.NoError(t, err)
	require.Len(t, files, pages)
	require.Greater(t, pages, 50)

	man, err := exec.LookPath("man")
	if err != nil || !readsPages(man) {
		t.Log("SKIPPED: man is not installed (Debian packages man-db and groff-base)")
		return
	}
	var warnings bytes.Buffer
	for _, name := range []string{"fees.1", "fees-report.1", "fees-serve-password.1", "fees-reconcile.1"} {
		c := exec.Command(man, "--warnings=w", "-Tutf8", "-l", filepath.Join(directory, name))
		c.Env = append(os.Environ(), "MANROFFSEQ=", "LC_ALL=C.UTF-8")
		c.Stderr = &warnings
		text, err := c.Output()
		require.NoError(t, err, warnings.String())
		require.Contains(t, regexp.MustCompile(".\b").ReplaceAllString(string(text), ""), "\nNAME\n", name)
	}
	require.Empty(t, warnings.String())
}

// readsPages reports whether man is man-db's, which can read a file with warnings.
func readsPages(man string) bool {
	out, err := exec.Command(man, "--version").Output()
	return err == nil && strings.HasPrefix(string(out), "man 2.")
}

// Wrong combinations of arguments of fees help are errors.
func TestManualMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, message string }{
		{"help --all report", "--all and --man-pages cover every command; leave out \"report\""},
		{"help --all --man-pages x", "--all and --man-pages cannot be combined; leave out one of them"},
		{"help --man-pages /dev/null/x", "--man-pages: mkdir /dev/null: not a directory"},
		{"help repotr", "unknown command \"repotr\"; fees help lists the commands"},
	} {
		stdout, stderr, code := fees(strings.Fields(c.args)...)
		require.Equal(t, exitUsage, code)
		require.Empty(t, stdout)
		require.Equal(t, "fees: "+c.message+"\n", stderr)
	}
}

// A hidden command has no man page.
func TestExplained(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "a"}
	run := func(*cobra.Command, []string) {}
	root.AddCommand(&cobra.Command{Use: "b", Run: run}, &cobra.Command{Use: "c", Run: run, Hidden: true})
	var names []string
	for c := range cli.Explained(root) {
		names = append(names, c.CommandPath())
	}
	require.Equal(t, []string{"a", "a b"}, names)
}
