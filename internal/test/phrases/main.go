// Command phrases searches comments, strings, documents and pages for phrases that read as
// translated, and prints each with a better one. It exits with 1 if it finds any.
//
// With -count it prints how often each phrase occurs, by kind of text, tests included, and exits
// with 0. Tests are only counted: their data contain some of the phrases. A hit that is right is
// listed in allowed.txt, with the reason.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// phrase is a phrase and what to write instead.
type phrase struct {
	text   string // as people search for it
	better string
	match  *regexp.Regexp
}

//go:embed phrases.txt
var listed string

//go:embed allowed.txt
var allowed string

// kinds are the kinds of text, in the order of the table.
var kinds = []string{"comment", "string", "test", "document", "page"}

// hit is one occurrence of a phrase.
type hit struct {
	file   string
	line   int
	kind   string
	phrase phrase
	text   string // the line
}

func main() {
	count := flag.Bool("count", false, "print the number of occurrences by phrase and kind")
	flag.Parse()
	found, err := run(*count, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "phrases:", err)
	}
	if err != nil || found > 0 && !*count {
		os.Exit(1)
	}
}

func run(count bool, out io.Writer) (int, error) {
	phrases, err := parsePhrases(listed)
	if err != nil {
		return 0, err
	}
	right, err := parseRight(listed)
	if err != nil {
		return 0, err
	}
	s := searcher{phrases, right}
	files, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		return 0, fmt.Errorf("git ls-files: %w", err)
	}
	var hits []hit
	for _, file := range strings.Fields(string(files)) {
		list, err := s.search(file)
		if err != nil {
			return 0, err
		}
		hits = append(hits, list...)
	}
	if count {
		return len(hits), writeCounts(out, phrases, hits)
	}
	hits = unlisted(hits, parseAllowed(allowed))
	for _, h := range hits {
		fmt.Fprintf(out, "%s:%d: %q reads as translated (%s): %s\n", h.file, h.line, h.phrase.text, h.phrase.better, strings.TrimSpace(h.text))
	}
	return len(hits), nil
}

// parsePhrases parses lines of a regular expression, two or more spaces, and what to write instead.
func parsePhrases(text string) (list []phrase, err error) {
	for line := range strings.Lines(text) {
		expression, better, found := strings.Cut(strings.TrimSpace(line), "  ")
		if !found || strings.HasPrefix(expression, "#") || strings.HasPrefix(expression, "- ") {
			continue
		}
		match, err := regexp.Compile(`(?i)(^|[^\w])(` + expression + `)($|[^\w])`)
		if err != nil {
			return nil, err
		}
		list = append(list, phrase{expression, strings.TrimSpace(better), match})
	}
	return list, nil
}

// searcher searches texts for phrases. What right matches is right English that contains one.
type searcher struct {
	phrases []phrase
	right   *regexp.Regexp
}

// parseRight parses lines of a minus and a regular expression.
func parseRight(text string) (*regexp.Regexp, error) {
	var list []string
	for line := range strings.Lines(text) {
		if expression, is := strings.CutPrefix(strings.TrimSpace(line), "- "); is {
			list = append(list, expression)
		}
	}
	return regexp.Compile(`(?i)\b(?:` + strings.Join(list, "|") + `)\b`)
}

// parseAllowed parses lines of a file, a phrase, and a reason, separated by two or more spaces.
func parseAllowed(text string) map[[2]string]bool {
	list := map[[2]string]bool{}
	for line := range strings.Lines(text) {
		fields := regexp.MustCompile(`  +`).Split(strings.TrimSpace(line), 3)
		if len(fields) == 3 && !strings.HasPrefix(line, "#") {
			list[[2]string{fields[0], fields[1]}] = true
		}
	}
	return list
}

// unlisted returns the hits that the list does not allow.
func unlisted(hits []hit, allowed map[[2]string]bool) []hit {
	return slices.DeleteFunc(hits, func(h hit) bool { return h.kind == "test" || allowed[[2]string{h.file, h.phrase.text}] })
}

// search returns the hits in a file.
func (s *searcher) search(file string) ([]hit, error) {
	if strings.Contains(file, "testdata/") || strings.HasPrefix(file, "internal/test/phrases/") {
		return nil, nil
	}
	var kind string
	switch filepath.Ext(file) {
	case ".go":
	case ".md":
		kind = "document"
	case ".html", ".tmpl", ".js", ".css":
		kind = "page"
	default:
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		return s.match(file, 1, kind, string(text)), nil
	}
	return s.searchGo(file, text), nil
}

// searchGo returns the hits in the comments and strings of a Go file.
func (s *searcher) searchGo(path string, text []byte) (hits []hit) {
	files := token.NewFileSet()
	file := files.AddFile(path, files.Base(), len(text))
	var tokens scanner.Scanner
	tokens.Init(file, text, nil, scanner.ScanComments)
	comment, commentLine := "", 0 // a comment of several lines is one text
	flush := func() {
		hits = append(hits, s.match(path, commentLine, kindOf(path, "comment"), comment)...)
		comment = ""
	}
	for {
		place, tok, literal := tokens.Scan()
		line := file.Line(place)
		switch {
		case tok == token.COMMENT:
			if comment != "" && line != commentLine+strings.Count(comment, "\n") {
				flush()
			}
			if comment == "" {
				commentLine = line
			}
			comment += strings.TrimPrefix(literal, "//") + "\n"
			continue
		case tok == token.SEMICOLON && literal == "\n":
			continue
		}
		flush()
		if tok == token.STRING {
			hits = append(hits, s.match(path, line, kindOf(path, "string"), literal)...)
		}
		if tok == token.EOF {
			return hits
		}
	}
}

func kindOf(file, kind string) string {
	if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/test/") {
		return "test"
	}
	return kind
}

// match returns the hits in a text that begins on a line of a file.
func (s *searcher) match(file string, first int, kind, text string) (hits []hit) {
	for i, line := range strings.Split(text, "\n") {
		searched := s.right.ReplaceAllString(line, "")
		for _, p := range s.phrases {
			for range p.match.FindAllString(searched, -1) {
				hits = append(hits, hit{file, first + i, kind, p, line})
			}
		}
	}
	return hits
}

// writeCounts writes a row for each phrase, with the number of its hits by kind of text.
func writeCounts(out io.Writer, phrases []phrase, hits []hit) error {
	counts := map[string]map[string]int{}
	for _, h := range hits {
		if counts[h.phrase.text] == nil {
			counts[h.phrase.text] = map[string]int{}
		}
		counts[h.phrase.text][h.kind]++
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "phrase\t%s\tall\n", strings.Join(kinds, "\t"))
	total := map[string]int{}
	row := func(name string, by map[string]int) {
		fmt.Fprint(table, name)
		sum := 0
		for _, kind := range kinds {
			fmt.Fprintf(table, "\t%d", by[kind])
			sum += by[kind]
		}
		fmt.Fprintf(table, "\t%d\n", sum)
	}
	for _, p := range phrases {
		row(p.text, counts[p.text])
		for kind, n := range counts[p.text] {
			total[kind] += n
		}
	}
	row("all", total)
	return table.Flush()
}
