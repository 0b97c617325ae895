package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// scriptsInside copies the scripts so that fees runs in this process, since starting a thousand processes dominates
// the run time. Commands that read standard input or run in the background stay processes.
func scriptsInside(t *testing.T) (directory string) {
	files, err := filepath.Glob("testdata/script/*")
	require.NoError(t, err)
	directory = t.TempDir()
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(directory, filepath.Base(file)), []byte(inside(string(text))), 0o600))
	}
	return directory
}

var (
	execFees  = regexp.MustCompile(`^((?:\[[^]]*\] )?(?:! )?)exec fees\b`)
	fedBefore = regexp.MustCompile(`^(?:\[[^]]*\] )?(?:stdin|ttyin) `)
	exitsFees = regexp.MustCompile(`^((?:\[[^]]*\] )?)exits (\d+) fees\b`)
)

// inside rewrites a script to run fees in this process.
func inside(script string) string {
	lines := strings.SplitAfter(script, "\n")
	fed := false // the next program reads standard input
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "-- "): // the files begin here
			return strings.Join(lines, "")
		case fedBefore.MatchString(line):
			fed = true
		case execFees.MatchString(line) || exitsFees.MatchString(line):
			if !fed {
				lines[i] = exitsFees.ReplaceAllString(execFees.ReplaceAllString(line, "${1}inside 0"), "${1}inside $2")
			}
			fed = false
		}
	}
	return strings.Join(lines, "")
}

// insideCommand is a script command: inside CODE ARGUMENTS runs fees in this process, with the script's directory and
// the named variables. It must end with the code; after "!", with another one.
func insideCommand(names []string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		for _, name := range names {
			ts.Check(os.Setenv(name, ts.Getenv(name)))
		}
		directory := ts.MkAbs(".")
		ts.Check(os.Chdir(directory))
		ts.Check(os.Setenv("PWD", directory))
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), args[1:], &stdout, &stderr)
		ts.Stdout().Write(stdout.Bytes())
		ts.Stderr().Write(stderr.Bytes())
		if want := args[0]; (strconv.Itoa(code) == want) == neg {
			ts.Fatalf("fees ended with code %d: %s", code, stderr.String())
		}
	}
}

// oneByOne runs scripts sequentially, since a process has only one working directory.
type oneByOne struct{ *testing.T }

func (oneByOne) Parallel()     {}
func (oneByOne) Verbose() bool { return testing.Verbose() }
func (t oneByOne) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(oneByOne{t}) })
}
