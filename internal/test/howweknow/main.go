// Command howweknow runs the tests that prove what fees promises, and writes docs/how-we-know.md
// of what they counted: make proof. No figure on that page was typed.
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

// write runs the tests of all proofs, and writes the page. It says which failed; a page with one
// that failed is not written.
func write() error {
	outcomes, err := run()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	out.WriteString(head)
	group := ""
	var failed []string
	for _, p := range proofs {
		if p.group != group {
			group = p.group
			fmt.Fprintf(&out, "\n## %s\n\n| what is known | shown by | it says |\n|---|---|---|\n", group)
		}
		o := outcomes[p.of+"."+p.test]
		if o == nil || o.result == "fail" {
			failed = append(failed, p.of+" "+p.test)
			continue
		}
		fmt.Fprintf(&out, "| %s | `%s` in `%s` | %s |\n", p.claim, p.test, p.of, o.words(p.figure))
	}
	if len(failed) > 0 {
		return fmt.Errorf("the page is as it was, for these failed or are not there: %s", strings.Join(failed, ", "))
	}
	out.WriteString(foot)
	return os.WriteFile(page, out.Bytes(), 0o666)
}

// outcome is what became of a test.
type outcome struct {
	result string // pass, fail, skip
	cases  int    // of its parts passed
	said   string
}

// words are what a test counted: what the figure matches in its output, each match once,
// else how many cases passed.
func (o *outcome) words(figure string) string {
	if o.result == "skip" {
		return "**not run here**: " + strings.TrimSpace(regexp.MustCompile(`(?m)^.*_test\.go:\d+: `).ReplaceAllString(reason(o.said), ""))
	}
	if figure != "" {
		var found []string
		for _, match := range regexp.MustCompile(figure).FindAllString(o.said, -1) {
			if !slices.Contains(found, match) {
				found = append(found, match)
			}
		}
		slices.Sort(found) // whatever the order in which parts ran
		if len(found) > 0 {
			return strings.Join(found, "; ")
		}
	}
	if o.cases > 0 {
		return grouped(o.cases) + " cases"
	}
	return "it holds"
}

// reason is the line in which a test says why it is skipped.
func reason(said string) string {
	for line := range strings.Lines(said) {
		if strings.Contains(line, "_test.go:") || strings.Contains(line, ".go:") {
			return line
		}
	}
	return said
}

// run runs the tests of all proofs at once: what became of each, by its package and name.
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
			o.said += e.Output
		case isPart && e.Action == "pass":
			o.cases++
		case !isPart && slices.Contains([]string{"pass", "fail", "skip"}, e.Action):
			o.result = e.Action
			fmt.Fprintln(os.Stderr, e.Action, key)
		}
	}
	c.Wait() // a test that failed is in outcomes
	return outcomes, lines.Err()
}

// grouped is a number with commas between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
