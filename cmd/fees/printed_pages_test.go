//go:build unix

package main

import (
	"bytes"
	"html"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The command that a page prints, as the equivalent of its figures, as a remedy or as the next step, runs as printed.
func TestPrintedOnPages(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred pages and commands")
	}
	demoMonth(t)
	require.NoError(t, os.Mkdir("packages", 0o700))
	_, stderr, code := fees("close", "--month", "2026-01", "--accounts", "group:company", "--gateway", "gateway", "-o", "packages/2026-01", "--quiet")
	require.Equal(t, exitOK, code, stderr)
	company, err := os.ReadFile("company.csv")
	require.NoError(t, err)
	records := hostileRecords()
	delete(records, "empty.csv") // it is refused at once
	for name, text := range records {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}

	t.Setenv("FEES_GATEWAY", "gateway") // for the commands of servers without one
	p := &follower{t, map[string]bool{}}
	for _, server := range []struct {
		flags     []string
		maxPages  int
		minRan    int
		withFiles bool
	}{
		{[]string{"--gateway", "gateway", "--prices", "prices.csv", "--fiat", "EUR", "--packages", "packages"}, 250, 60, true},
		{[]string{"--labels", "none"}, 40, 10, false}, // its pages print what is missing
	} {
		base := startWith(t, []string{"FEES_GATEWAY="}, append([]string{"serve", "--listen", "127.0.0.1:0"}, server.flags...)...).served(t)
		visit := &visitor{T: t, base: base, seen: map[string]bool{}, kinds: map[string]bool{}}
		visit.add("/", "/overview")
		if server.withFiles {
			visit.add(uploaded(t, base, "company.csv", company), "/fees?period=2031-01", "/accounts?period=2026-01", "/findings")
			for _, name := range slices.Sorted(maps.Keys(records)) {
				visit.add(uploaded(t, base, name, []byte(records[name])))
			}
		}
		ran := 0
		for visit.next(server.maxPages) {
			for _, line := range pageCommands(visit.text) {
				ran += p.runsFromPage(visit, line)
			}
		}
		require.Greater(t, ran, server.minRan, server.flags)
	}
}

// uploaded sends a record of fees and returns the path of its page.
func uploaded(t *testing.T, base, name string, content []byte) string {
	body := new(bytes.Buffer)
	form := multipart.NewWriter(body)
	for field, value := range map[string]string{"period": "2026-01", "accounts": "group:company"} {
		require.NoError(t, form.WriteField(field, value))
	}
	part, err := form.CreateFormFile("file", name)
	require.NoError(t, err)
	_, err = part.Write(content)
	require.NoError(t, err)
	require.NoError(t, form.Close())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/reconcile", body)
	require.NoError(t, err)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Origin", base)
	answer, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusSeeOther, answer.StatusCode, name)
	return answer.Header.Get("Location")
}

// visitor opens the pages of a server, as their links lead to them: one of each kind, and each of a record.
type visitor struct {
	*testing.T
	base  string
	queue []string
	seen  map[string]bool
	kinds map[string]bool // addresses without their values
	pages int
	at    string
	text  string
}

var (
	pageLink    = regexp.MustCompile(`href="([^"#]*)"`)
	valueInPath = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+(-[0-9]+)*`)
)

func (v *visitor) add(places ...string) {
	for _, place := range places {
		to, err := url.Parse(place)
		if err != nil || to.IsAbs() || v.seen[place] || path.Ext(to.Path) != "" || strings.HasPrefix(to.Path, "/api/") {
			continue
		}
		kind := valueInPath.ReplaceAllString(strings.ToLower(to.Path), "N")
		for _, name := range slices.Sorted(maps.Keys(to.Query())) {
			kind += " " + name
			if name == "by" || name == "view" || name == "part" {
				kind += "=" + to.Query().Get(name)
			}
		}
		v.seen[place] = true
		if !v.kinds[kind] || strings.HasPrefix(to.Path, "/reconcile/") {
			v.queue = append(v.queue, place)
		}
		v.kinds[kind] = true
	}
}

// next opens a page, and reports whether there is one.
func (v *visitor) next(maxPages int) bool {
	if len(v.queue) == 0 || v.pages == maxPages {
		return false
	}
	v.at, v.queue = v.queue[0], v.queue[1:]
	v.pages++
	r, err := http.NewRequestWithContext(v.Context(), http.MethodGet, v.base+v.at, nil)
	require.NoError(v, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(v, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(v, err)
	require.Less(v, answer.StatusCode, http.StatusInternalServerError, v.at)
	v.text = string(text)
	for _, link := range pageLink.FindAllStringSubmatch(v.text, -1) {
		v.add(path.Join("/", html.UnescapeString(link[1])))
	}
	return true
}

var pageCommand = regexp.MustCompile(`<code[^>]*>(fees [^<]+)<|[>"](fees [^"<]+)["<]`)

// pageCommands returns the command lines in a page.
func pageCommands(text string) (lines []string) {
	_, text, _ = strings.Cut(text, "<main")
	for _, found := range pageCommand.FindAllStringSubmatch(text, -1) {
		line := strings.TrimSpace(html.UnescapeString(found[1] + found[2]))
		words := strings.Fields(line)
		c, _, _ := newRoot(io.Discard, io.Discard).Find(words[1:])
		if isCode := found[1] != ""; !slices.Contains(lines, line) && (isCode || c != nil && c.HasParent()) { // "fees of all blocks" is a label
			lines = append(lines, line)
		}
	}
	return lines
}

// The values that stand for the user's own.
var ownValues = strings.NewReplacer("reconcile FILE", "reconcile company.csv", "--accounts FILE", "--accounts group:company", "--labels FILE", "--labels accounts.csv",
	"SECOND_URL", "gateway", "ws://YOUR_NODE", "gateway", "--gateway URL", "--gateway gateway")

// problemOfFile matches what happened in a line of errors: "fees: own.csv: line 1: what happened; what to do".
var problemOfFile = regexp.MustCompile(`(?m)^fees: (?:[^:\n]*csv: )?(?:line \d+, [^:\n]*: )?([^;\n]+?)(?:[;:]|\. ).*$`)

// runsFromPage runs a command of a page, and returns how many it ran. It may fail only as the page says.
func (p *follower) runsFromPage(page *visitor, line string) int {
	if p.done[line] {
		return 0
	}
	p.done[line] = true
	args := shellWords(p.T, ownValues.Replace(line))
	c := p.parse(line, args)
	if slices.Contains(endless, c.CommandPath()) {
		return 0
	}
	p.inCopy(func() {
		of := runPrinted(args)
		asOnPage := slices.ContainsFunc(problemOfFile.FindAllStringSubmatch(of.text, -1), func(problem []string) bool {
			return strings.Contains(html.UnescapeString(page.text), problem[1])
		})
		require.True(p, of.code <= exitFinding || leadsOn.MatchString(of.problem()) || asOnPage, "%s prints %q, which fails: %s", page.at, line, of.text)
	})
	return 1
}
