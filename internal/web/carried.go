package web

import (
	"bytes"
	"cmp"
	"html"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	g "maragu.dev/gomponents"
)

// aLink matches the address of a link in a page.
var aLink = regexp.MustCompile(` href="[^"]*"`)

// scopePages are the pages that are about a scope, or pass it on: by the beginning of their paths.
var scopePages = []string{"overview", "chain", "fees", "variance", "transactions", "tx", "block", "accounts", "account", "contract", "deposits", "findings", "reconcile", "packages", "close"}

// noAccounts matches the pages that take no accounts: theirs is in their path, or they are about all.
var noAccounts = regexp.MustCompile(`^(account/[^/]+/(statement|rollforward)|accounts/unlabelled)$`)

// maxRepeated limits the accounts that each link of a page repeats.
const maxRepeated = 500

// carrying renders a part of a page, whose links keep what the page is about: they state what they do not say themselves.
func (f *frame) carrying(part g.Node) g.Node {
	about := cmp.Or(f.Scope, f.Kept)
	if about == nil {
		return part
	}
	return g.NodeFunc(func(w io.Writer) error {
		var page bytes.Buffer
		if err := part.Render(&page); err != nil {
			return err
		}
		_, err := w.Write(aLink.ReplaceAllFunc(page.Bytes(), func(found []byte) []byte {
			to := html.UnescapeString(strings.TrimSuffix(strings.TrimPrefix(string(found), ` href="`), `"`))
			if carried := about.carriedTo(to); carried != to {
				return []byte(` href="` + html.EscapeString(carried) + `"`)
			}
			return found
		}))
		return err
	})
}

// carriedTo returns the address of a link with what it does not state of the scope. Transactions, blocks and packages
// have their own period. Files, and a record with its settings, state all themselves.
func (s *scope) carriedTo(to string) string {
	address, fragment, marked := strings.Cut(to, "#")
	path, query, _ := strings.Cut(address, "?")
	parts := strings.Split(path, "/")
	switch {
	case !slices.Contains(scopePages, parts[0]), isFile(path):
		return to
	case parts[0] == "reconcile" && len(parts) > 1, parts[0] == "close" && len(parts) > 2, parts[0] == "packages" && len(parts) > 3:
		return to
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return to
	}
	about := s.carried(path).values(nil)
	own := len(parts) > 1 && slices.Contains([]string{"tx", "block", "packages", "close"}, parts[0])
	if own || values.Has("period") {
		about.Del("period")
		about.Del("partial")
	}
	if noAccounts.MatchString(path) || len(about.Get("accounts")) > maxRepeated {
		about.Del("accounts")
	}
	stated := len(values)
	for name := range about {
		if !values.Has(name) {
			values[name] = about[name]
		}
	}
	if len(values) == stated {
		return to
	}
	if to = path + "?" + values.Encode(); marked {
		to += "#" + fragment
	}
	return to
}
