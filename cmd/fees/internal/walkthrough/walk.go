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
	"github.com/feeledger/fees/internal/sys/plain"
)

// width limits the walk's own text, in columns.
const width = 80

// shownLines is the number of lines shown of a file.
const shownLines = 20

// walk runs the steps.
type walk struct {
	program        Program
	stdout, stderr io.Writer
	enter          <-chan bool // receives once per line of standard input, closed at its end; nil with --yes
}

// lines returns a channel that receives once per line and is closed at the end of input.
func lines(in io.Reader) <-chan bool {
	received := make(chan bool)
	go func() {
		defer close(received)
		for r := bufio.NewReader(in); ; received <- true {
			if _, err := r.ReadString('\n'); err != nil {
				return
			}
		}
	}()
	return received
}

// lead creates the sample in a directory and runs the steps there.
func (w *walk) lead(ctx context.Context, directory string) error {
	if err := createSample(directory); err != nil {
		return err
	}
	unset, back, err := enter(directory)
	if err != nil {
		return err
	}
	defer back()
	shown := plain.Line(directory)
	w.say("A sample month end is in " + shown + "; its README.txt describes the files. " +
		"The chain is a sample: its accounts and fees are not real.")
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
			fmt.Fprintf(w.stderr, "fees: %s: exit code %d, expected %d; it ran in %s\n", s.command, code, s.code, shown)
			return cli.ErrFinding
		}
		if err := w.showFile(s.file); err != nil {
			return err
		}
		fmt.Fprintln(w.stdout)
		if s.planted {
			w.say(fmt.Sprintf("Exit code %d, because of the planted differences.", code))
		}
		w.say("Meaning: " + s.means)
	}
	fmt.Fprintln(w.stdout)
	w.say("That was the month end. The files stay in " + shown + ": cd " + console.Argument(directory) +
		" and try the commands in README.txt.")
	if len(unset) > 0 {
		w.say("First unset " + strings.Join(unset, " ") + ", which the walk did not use.")
	}
	return nil
}

// arguments returns the arguments of a command line of fees.
func arguments(command string) []string { return strings.Fields(command)[1:] }

// wait waits for Enter before a step.
func (w *walk) wait(ctx context.Context, done int) error {
	if w.enter == nil {
		return nil
	}
	fmt.Fprint(w.stdout, "\n[Press Enter to continue, Ctrl-C to stop] ")
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

// showFile shows the first lines of a file.
func (w *walk) showFile(name string) error {
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "First lines of %s:\n", name)
	for line := range slices.Values(firstLines(string(text), shownLines)) {
		fmt.Fprintln(w.stdout, "    "+plain.Line(line))
	}
	return nil
}

// firstLines returns up to limit lines of a text.
func firstLines(text string, limit int) []string {
	list := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return list[:min(limit, len(list))]
}

// say writes wrapped text.
func (w *walk) say(words string) {
	var out strings.Builder
	console.WriteWrapped(&out, words, 0, min(width, cli.WidthOf(w.stdout)))
	fmt.Fprint(w.stdout, out.String())
}

// hidden lists variables that would point the commands at other files than the sample's.
var hidden = []string{"FEES_LEDGER", "FEES_ACCOUNTS"}

// enter changes to a directory and unsets the hidden variables, until back is called. It returns the
// variables that were set.
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
		os.Chdir(before) // best effort
	}, nil
}
