package walkthrough

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/console"
)

// width is how wide the walk's own words are at most.
const width = 80

// shownLines is how much is shown of a file.
const shownLines = 20

// walk goes through the steps.
type walk struct {
	program        Program
	stdout, stderr io.Writer
	enter          <-chan bool // a line of standard input; closed at its end; nil where nobody is waited for
}

// lines tells of each line that comes, and is closed when no more do.
func lines(in io.Reader) <-chan bool {
	come := make(chan bool)
	go func() {
		defer close(come)
		for r := bufio.NewReader(in); ; come <- true {
			if _, err := r.ReadString('\n'); err != nil {
				return
			}
		}
	}()
	return come
}

// lead lays out a directory, and goes through the steps in it.
func (w *walk) lead(ctx context.Context, directory string) error {
	if err := layOut(directory); err != nil {
		return err
	}
	unset, back, err := enter(directory)
	if err != nil {
		return err
	}
	defer back()
	shown := console.Printable(directory)
	w.say("A month's end to try, in " + shown + "; README.txt there says what is in it. " +
		"The chain is made up: nobody's accounts, no fee that was ever paid.")
	for i, s := range steps {
		if err := w.wait(ctx, i); err != nil {
			return err
		}
		fmt.Fprintf(w.stdout, "\nStep %d of %d: %s\n\n$ %s\n", i+1, len(steps), s.title, s.command)
		code := w.program(ctx, arguments(s.command), w.stdout, w.stderr)
		if ctx.Err() != nil {
			return cli.ErrStopped
		}
		if code != s.code {
			fmt.Fprintf(w.stderr, "fees: %s: exit code %d, and %d was to come; it was run in %s\n", s.command, code, s.code, shown)
			return cli.ErrFinding
		}
		if err := w.showFile(s.file); err != nil {
			return err
		}
		fmt.Fprintln(w.stdout)
		if s.planted {
			w.say(fmt.Sprintf("Exit code %d: this is the difference that was planted.", code))
		}
		w.say("Meaning: " + s.means)
	}
	fmt.Fprintln(w.stdout)
	w.say("That was the month's end. All of it stays in " + shown + ": cd " + console.Argument(directory) +
		", and try more; README.txt proposes commands.")
	if len(unset) > 0 {
		w.say("There, unset " + strings.Join(unset, " ") + " first: the walk went without.")
	}
	return nil
}

// arguments are those of a command line of fees.
func arguments(command string) []string { return strings.Fields(command)[1:] }

// wait waits for Enter before a step.
func (w *walk) wait(ctx context.Context, done int) error {
	if w.enter == nil {
		return nil
	}
	fmt.Fprint(w.stdout, "\n[Enter goes on, Ctrl-C ends] ")
	select {
	case <-ctx.Done():
		return ctx.Err()
	case _, more := <-w.enter:
		if !more {
			fmt.Fprintln(w.stdout)
			return fmt.Errorf("standard input ended after %d of %d steps", done, len(steps))
		}
		return nil
	}
}

// showFile shows how a file begins.
func (w *walk) showFile(name string) error {
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "%s begins:\n", name)
	for line := range slices.Values(firstLines(string(text), shownLines)) {
		fmt.Fprintln(w.stdout, "    "+console.Printable(line))
	}
	return nil
}

// firstLines are at most so many of a text.
func firstLines(text string, most int) []string {
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return list[:min(most, len(list))]
}

// say writes words, wrapped.
func (w *walk) say(words string) {
	var out strings.Builder
	console.WriteWrapped(&out, words, 0, min(width, cli.WidthOf(w.stdout)))
	fmt.Fprint(w.stdout, out.String())
}

// hidden are the variables that would have the commands ask other files than those laid out.
var hidden = []string{"FEES_LEDGER", "FEES_ACCOUNTS"}

// enter makes a directory the one that commands run in, without the hidden variables, until
// back is called. It says which of them were set.
func enter(directory string) (unset []string, back func(), err error) {
	before, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	if err := os.Chdir(directory); err != nil {
		return nil, nil, err
	}
	var values []string
	for _, name := range hidden {
		if value, set := os.LookupEnv(name); set {
			unset, values = append(unset, name), append(values, value)
			os.Unsetenv(name)
		}
	}
	return unset, func() {
		for i, name := range unset {
			os.Setenv(name, values[i])
		}
		os.Chdir(before) // it was there before
	}, nil
}
