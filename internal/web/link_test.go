package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// anAddress matches the attributes whose value a browser follows or loads.
	anAddress = regexp.MustCompile(`(?i)\b(?:markup\.(?:Attr|Optional)|g\.Attr)\("(?:href|xlink:href|action|formaction|src|srcset|ping|data|cite|poster|on[a-z]+|style)"[^)]*`)
	// isSafeAddress matches those that are constant, or that were checked.
	isSafeAddress = regexp.MustCompile(`^markup\.\w+\("\w+", (?:"[^"]*"|plain\.URL\(\w+(?:\.\w+)*)$`)
	aRaw          = regexp.MustCompile(`\bg\.Rawf?\([^)]*`)
)

// The library escapes text, but does not know which attributes are addresses: each is constant, or plain.URL checks it.
func TestAddressesAreChecked(t *testing.T) {
	addresses := 0
	for _, folder := range []string{".", "../finance/report"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if matched, _ := filepath.Match("*_test.go", filepath.Base(file)); matched {
				continue
			}
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, found := range anAddress.FindAllString(string(source), -1) {
				require.Regexp(t, isSafeAddress, found, file)
				addresses++
			}
			for _, found := range aRaw.FindAllString(string(source), -1) {
				require.Equal(t, "g.Raw(pageStyle", found, "%s: only our own style sheet is not escaped", file)
			}
		}
	}
	require.Greater(t, addresses, 8)
}

var addressIn = regexp.MustCompile(`(?:href|action)="([^"]*)"`)

// A request's own address is part of its page, even if a browser would take it for another host.
func TestNoLinkToAnotherHost(t *testing.T) {
	s := served(t, filled(t, "3..27"), nil)
	for _, path := range []string{"//evil.example", "//evil.example/?a=b", "///evil.example/", "/%09/evil.example/", `/\evil.example/`} {
		a := get(t, s, path, func(r *http.Request) { r.Method = http.MethodPut })
		require.Equal(t, http.StatusMethodNotAllowed, a.status, path)
		for _, found := range addressIn.FindAllStringSubmatch(a.text, -1) {
			require.NotRegexp(t, `^\s*[/\\]\s*[/\\]|^[A-Za-z]+:`, found[1], path)
		}
	}
}
