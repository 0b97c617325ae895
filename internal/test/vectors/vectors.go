// Package vectors reads the rule vectors of testdata/vectors for tests: text files with one case per line,
// each with the inputs and the expected result of a rule.
//
//	# a comment
//	moonbeam-3399  network=moonbeam runtime=3399 -> base_fee=125000000000
//
// A case is an ID, its inputs, an arrow and the expected values, all as name=value without white space. A
// syntax error fails the test, with the file and the line: a file that was not understood has proved nothing.
package vectors

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Names are the allowed names of a file's values, separated by spaces.
type Names struct{ Inputs, Wanted string }

// Case is one line of a file.
type Case struct {
	ID     string
	Place  string // file:line
	inputs values
	wanted values
}

type values map[string]string

// Run runs a test for each case of a file in testdata/vectors. An unused value fails the test: it would not
// have been checked.
func Run(t *testing.T, file string, names Names, test func(*testing.T, *Values)) {
	t.Helper()
	path := filepath.Join(root(t), "testdata", "vectors", file)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	cases, err := Parse(file, string(text), names)
	require.NoError(t, err)
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			v := &Values{t: t, c: c, asked: map[string]bool{}}
			test(t, v)
			if !t.Failed() {
				require.Empty(t, v.unasked(), "%s: values that the test does not look at", c.Place)
			}
		})
	}
}

// Parse reads the text of a file. An error begins with the file and the line.
func Parse(file, text string, names Names) ([]Case, error) {
	var cases []Case
	lines := map[string]int{} // by id
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		place := fmt.Sprintf("%s:%d", file, i+1)
		c, err := parseCase(line, names)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		if first, ok := lines[c.ID]; ok {
			return nil, fmt.Errorf("%s: id %q is that of line %d", place, c.ID, first)
		}
		lines[c.ID] = i + 1
		c.Place = place
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s: no cases", file)
	}
	return cases, nil
}

func parseCase(line string, names Names) (c Case, err error) {
	left, right, ok := strings.Cut(line, " -> ")
	if !ok || strings.Contains(right, "->") {
		return c, errors.New("want one arrow: id  inputs -> wanted")
	}
	words := strings.Fields(left)
	if len(words) < 2 || strings.Contains(words[0], "=") {
		return c, errors.New("want an id and at least one input")
	}
	c.ID = words[0]
	if c.inputs, err = parseValues(words[1:], names.Inputs); err != nil {
		return c, fmt.Errorf("inputs: %w", err)
	}
	if c.wanted, err = parseValues(strings.Fields(right), names.Wanted); err != nil {
		return c, fmt.Errorf("wanted: %w", err)
	}
	if len(c.wanted) == 0 {
		return c, errors.New("wanted: nothing")
	}
	return c, nil
}

func parseValues(words []string, names string) (values, error) {
	known := strings.Fields(names)
	v := values{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		switch _, twice := v[name]; {
		case !ok || value == "":
			return nil, fmt.Errorf("%q: want name=value", word)
		case !slices.Contains(known, name):
			return nil, fmt.Errorf("unknown name %q, want one of: %s", name, names)
		case twice:
			return nil, fmt.Errorf("%q twice", name)
		}
		v[name] = value
	}
	return v, nil
}

// Values are the values of the current case. Values that a test reads must exist.
type Values struct {
	t     *testing.T
	c     Case
	asked map[string]bool // "input name" or "wanted name"
}

// Place returns the position of the case: file:line.
func (v *Values) Place() string { return v.c.Place }

// Has reports whether the case has an input of that name.
func (v *Values) Has(name string) bool { _, ok := v.c.inputs[name]; return ok }

// Input returns the text of an input.
func (v *Values) Input(name string) string {
	v.t.Helper()
	return v.get("input", v.c.inputs, name)
}

// Number returns an input that is a whole number of any length.
func (v *Values) Number(name string) *big.Int {
	v.t.Helper()
	n, ok := new(big.Int).SetString(v.Input(name), 10)
	require.True(v.t, ok, "%s: input %s: want a number, have %q", v.c.Place, name, v.Input(name))
	return n
}

// Bool returns an input that is yes or no.
func (v *Values) Bool(name string) bool {
	v.t.Helper()
	text := v.Input(name)
	require.Contains(v.t, []string{"yes", "no"}, text, "%s: input %s", v.c.Place, name)
	return text == "yes"
}

// Wants reports whether the case expects a value of that name.
func (v *Values) Wants(name string) bool { _, ok := v.c.wanted[name]; return ok }

// Wanted returns the expected value of that name.
func (v *Values) Wanted(name string) string {
	v.t.Helper()
	return v.get("wanted", v.c.wanted, name)
}

// Equal fails the test if have differs from the expected value.
func (v *Values) Equal(name string, have any) {
	v.t.Helper()
	require.Equal(v.t, v.Wanted(name), fmt.Sprint(have), "%s: %s", v.c.Place, name)
}

// EqualBool is like Equal for a bool, written yes or no.
func (v *Values) EqualBool(name string, have bool) {
	v.t.Helper()
	text := "no"
	if have {
		text = "yes"
	}
	v.Equal(name, text)
}

func (v *Values) get(kind string, from values, name string) string {
	v.t.Helper()
	value, ok := from[name]
	require.True(v.t, ok, "%s: no %s %q", v.c.Place, kind, name)
	v.asked[kind+" "+name] = true
	return value
}

func (v *Values) unasked() []string {
	var names []string
	for name := range v.c.inputs {
		names = append(names, "input "+name)
	}
	for name := range v.c.wanted {
		names = append(names, "wanted "+name)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return v.asked[name] })
	slices.Sort(names)
	return names
}

// root returns the directory of the module.
func root(t *testing.T) string {
	t.Helper()
	directory, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			return directory
		}
		parent := filepath.Dir(directory)
		require.NotEqual(t, parent, directory, "no go.mod above the package")
		directory = parent
	}
}
