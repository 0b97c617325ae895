// Command skipped runs a command that tests, such as go test ./..., and lists at its end the tests that were skipped because
// what they read may not be committed and is not there.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "skipped:", err)
		code = 1
	}
	os.Exit(code)
}

// run returns the exit code of a command.
func run(words []string) (code int, err error) {
	if len(words) == 0 {
		return 0, errors.New("no command was given. Write one after it, such as go test")
	}
	list, err := os.CreateTemp("", "fees-skipped-*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(list.Name())
	defer list.Close()
	command := exec.Command(words[0], words[1:]...)
	command.Env = append(os.Environ(), "FEES_SKIPPED="+list.Name())
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	var failed *exec.ExitError
	if err := command.Run(); errors.As(err, &failed) {
		code = failed.ExitCode()
	} else if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(list.Name())
	if err != nil {
		return 0, err
	}
	lines := slices.Sorted(strings.Lines(string(text)))
	if len(lines) > 0 {
		fmt.Printf("NOT TESTED: %d tests, which read what may not be committed\n", len(lines))
		fmt.Print(strings.Join(lines, ""))
	}
	return code, nil
}
