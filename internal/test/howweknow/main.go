// Command howweknow runs the tests behind the promises of fees, and writes their counts to
// docs/how-we-know.md: make proof.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	module = "github.com/feeledger/fees/"
	page   = "docs/how-we-know.md"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "howweknow:", err)
		os.Exit(1)
	}
}

// write runs the tests of all proofs and writes the page. If a test failed or is missing, it
// returns an error that names it, and leaves the page unchanged.
func write() error {
	outcomes, err := run()
	if err != nil {
		return err
	}
	text, failed := render(outcomes)
	if len(failed) > 0 {
		return fmt.Errorf("%s is unchanged, because tests failed or are missing: %s", page, strings.Join(failed, ", "))
	}
	return os.WriteFile(page, text, 0o666)
}

// render returns the page, and the tests that failed or have no outcome.
func render(outcomes map[string]*outcome) (text []byte, failed []string) {
	var out bytes.Buffer
	out.WriteString(head)
	for i, p := range proofs {
		o := outcomes[p.of+"."+p.test]
		if o == nil || o.result == "fail" {
			failed = append(failed, p.of+" "+p.test)
			continue
		}
		if i > 0 && proofs[i-1].claim == p.claim {
			out.WriteString(", ")
		} else {
			fmt.Fprintf(&out, "| %s | ", p.claim)
		}
		fmt.Fprintf(&out, "`%s`", p.test)
		if counted := o.counted(p.units); counted != "" {
			fmt.Fprintf(&out, " (%s)", counted)
		}
		if i == len(proofs)-1 || proofs[i+1].claim != p.claim {
			out.WriteString(" |\n")
		}
	}
	out.WriteString(foot)
	return out.Bytes(), failed
}

// outcome is the result of a test.
type outcome struct {
	result string // pass, fail, skip
	cases  int    // subtests that passed
	log    string
}

// counted returns what a test counted: the numbers before the units in its log, or else how
// many subtests passed. It returns "" if the test counted nothing.
func (o *outcome) counted(units string) string {
	if o.result == "skip" {
		return "**not run**"
	}
	var list []string
	for unit := range strings.SplitSeq(units, "|") {
		var numbers []int
		for _, match := range regexp.MustCompile(`(\d+) `+unit+`\b`).FindAllStringSubmatch(o.log, -1) {
			if n, err := strconv.Atoi(match[1]); err == nil && unit != "" {
				numbers = append(numbers, n)
			}
		}
		if len(numbers) > 0 {
			list = append(list, span(numbers)+" "+unit)
		}
	}
	if len(list) == 0 && o.cases > 0 {
		return grouped(o.cases)
	}
	return strings.Join(list, ", ")
}

// span returns a number, two numbers, or the smallest and the largest of more.
func span(numbers []int) string {
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	first, last := grouped(numbers[0]), grouped(numbers[len(numbers)-1])
	switch len(numbers) {
	case 1:
		return first
	case 2:
		return first + " and " + last
	}
	return first + " to " + last
}

// run runs the tests of all proofs, and returns their outcomes by package and name.
func run() (map[string]*outcome, error) {
	var names, packages []string
	for _, p := range proofs {
		names = append(names, p.test)
		packages = append(packages, "./"+p.of)
	}
	slices.Sort(packages)
	args := []string{"test", "-json", "-count=1", "-timeout=60m", "-run", "^(" + strings.Join(names, "|") + ")$"}
	c := exec.Command("go", append(args, slices.Compact(packages)...)...)
	for name, value := range depth {
		if os.Getenv(name) == "" {
			c.Env = append(c.Environ(), name+"="+value)
		}
	}
	c.Stderr = os.Stderr
	events, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	outcomes := map[string]*outcome{}
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Test == "" {
			continue
		}
		test, _, isPart := strings.Cut(e.Test, "/")
		key := strings.TrimPrefix(e.Package, module) + "." + test
		o := outcomes[key]
		if o == nil {
			o = &outcome{}
			outcomes[key] = o
		}
		switch {
		case e.Action == "output":
			o.log += e.Output
		case isPart && e.Action == "pass":
			o.cases++
		case !isPart && slices.Contains([]string{"pass", "fail", "skip"}, e.Action):
			o.result = e.Action
			fmt.Fprintln(os.Stderr, e.Action, key)
			if e.Action == "fail" {
				fmt.Fprint(os.Stderr, o.log)
			}
		}
	}
	c.Wait() // outcomes contain the tests that failed
	return outcomes, lines.Err()
}

// grouped formats a number with commas between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
