// Command skipped runs go test with the given arguments, and lists the skipped tests at the end: by name those
// whose files may not be committed and are missing, and the number of the others by requirement.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "skipped:", err)
		code = 1
	}
	os.Exit(code)
}

// run returns the exit code of the tests.
func run(words []string) (code int, err error) {
	if len(words) < 2 || words[0] != "go" || words[1] != "test" {
		return 0, errors.New("no tests were given. Write go test and its arguments after it")
	}
	atOnce := runtime.GOMAXPROCS(0) + 1 // packages: tests also wait
	if slices.Contains(words, "-short") {
		atOnce += 2 // these need little memory
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	command := exec.CommandContext(ctx, "go", slices.Concat([]string{"test", "-json", fmt.Sprint("-p=", atOnce)}, words[2:])...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // and wait, to list and remove
	command.Stdin, command.Stderr = os.Stdin, os.Stderr
	if slices.Contains(words, "-short") { // full runs use the disk
		environment, remove := inMemory(os.Environ())
		defer func() { err = errors.Join(err, remove()) }()
		command.Env = environment
	}
	events, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := command.Start(); err != nil {
		return 0, err
	}
	seen := outcomes{said: map[test]string{}, others: map[string]int{}}
	err = seen.read(events, os.Stdout)
	var failed *exec.ExitError
	if ended := command.Wait(); errors.As(ended, &failed) {
		code = failed.ExitCode()
	} else {
		err = errors.Join(err, ended)
	}
	seen.write(os.Stdout)
	return code, err
}

// test names a test; a package's own output has none.
type test struct{ Package, Test string }

// outcomes are the results of the tests.
type outcomes struct {
	said   map[test]string // output of running tests
	absent []string        // a line for each test that lacks its files
	others map[string]int  // number skipped, by requirement
}

// read follows the tests: it copies a line for each package, and the output of failed tests.
func (o *outcomes) read(events io.Reader, out io.Writer) error {
	decoder := json.NewDecoder(bufio.NewReader(events))
	for {
		var e struct {
			test
			Action, Output string
		}
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch e.Action {
		case "output":
			if e.Test != "" {
				o.said[e.test] += e.Output
			} else if e.Output != "PASS\n" {
				fmt.Fprint(out, e.Output)
			}
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "skip":
			o.skip(e.test)
			delete(o.said, e.test)
		case "pass":
			delete(o.said, e.test)
		case "fail":
			for t, said := range o.said { // in a failed package, tests that never ended
				if t == e.test || e.Test == "" && t.Package == e.Package {
					fmt.Fprint(out, said)
					delete(o.said, t)
				}
			}
		}
	}
}

// skip records a skipped test and its reason.
func (o *outcomes) skip(t test) {
	said := o.said[t]
	if _, reason, ok := strings.Cut(said, "NOT TESTED: shared"); ok {
		reason, _, _ = strings.Cut(reason, "\n")
		o.absent = append(o.absent, t.Package+" "+t.Test+": shared"+reason)
	} else if _, kind, ok := strings.Cut(said, "NOT ASKED FOR: "); ok {
		kind, _, _ = strings.Cut(kind, "\n")
		o.others["with "+kind]++
	} else if t.Test != "" {
		o.others["that a short run leaves out, or that this machine does not allow"]++
	}
}

// write lists the skipped tests.
func (o *outcomes) write(out io.Writer) {
	for i, reason := range slices.Sorted(maps.Keys(o.others)) {
		if i == 0 {
			fmt.Fprintln(out, "SKIPPED tests (make test-all runs them):")
		}
		fmt.Fprintf(out, "%5d %s\n", o.others[reason], reason)
	}
	if len(o.absent) > 0 {
		slices.Sort(o.absent)
		fmt.Fprintf(out, "NOT TESTED: %d tests, which read what may not be committed\n%s\n", len(o.absent), strings.Join(o.absent, "\n"))
	}
}
