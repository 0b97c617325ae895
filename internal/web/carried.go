package web

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/sys/markup"
)

// scopePages are the pages that are about a scope, or pass it on: by the beginning of their paths.
var scopePages = []string{"overview", "chain", "fees", "variance", "transactions", "tx", "block", "accounts", "account", "contract", "deposits", "findings", "reconcile", "packages", "close"}

// maxRepeated limits the accounts that each link of a page repeats: a page with more of them says so.
const maxRepeated = 500

// pageWriter collects a page. The links of a part that [frame.carrying] renders keep what the page is about.
type pageWriter struct {
	bytes.Buffer
	about *carrier // nil outside such a part
}

// Link completes the address of a link or a form.
func (w *pageWriter) Link(to string) string {
	if w.about == nil {
		return to
	}
	return w.about.link(to)
}

// about returns what the links of a page keep; nil for nothing.
func (f *frame) about() *scope { return cmp.Or(f.Scope, f.Kept) }

// carrying renders a part of a page, whose links keep what the page is about: they state what they do not say themselves.
func (f *frame) carrying(part g.Node) g.Node {
	return g.NodeFunc(func(w io.Writer) error {
		if page, ok := w.(*pageWriter); ok && f.about() != nil {
			page.about = carrierOf(f.about())
			defer func() { page.about = nil }()
		}
		return part.Render(w)
	})
}

// unkept returns what a page says if its links do not repeat its accounts; nil if they do.
func (f *frame) unkept() g.Node {
	if f.about() == nil || len(f.about().Accounts) <= maxRepeated {
		return nil
	}
	return markup.El("p", markup.Attr("class", "lead warn"), markup.Text(fmt.Sprintf("The links in this page do not keep the %d accounts: the list is too long. Give the accounts a group in the address book, and choose the group.", len(f.about().list()))))
}

// carrier adds a scope to the links of a page.
type carrier struct{ all, month, own []keptParameter }

// keptParameter is a parameter of an address, as it stands there.
type keptParameter struct{ name, text string }

// carrierOf returns the carrier of a scope. Months have no days, transactions, blocks and packages their own period.
func carrierOf(about *scope) *carrier {
	other := *about
	if len(other.Accounts) > maxRepeated {
		other.Accounts = ""
	}
	c := &carrier{all: other.parameters(), month: other.carried("overview").parameters()}
	other.Period, other.Partial = "", false
	c.own = other.parameters()
	return c
}

// parameters returns the scope as parameters, sorted by name.
func (s *scope) parameters() (list []keptParameter) {
	for _, o := range optionsOf(s.values(nil)) {
		list = append(list, keptParameter{o.Value, o.Value + "=" + url.QueryEscape(o.Text)})
	}
	return list
}

// link returns the address of a link with what it does not state of the scope. Files, and a record with its settings,
// state all themselves.
func (c *carrier) link(to string) string {
	address, fragment, marked := strings.Cut(to, "#")
	path, query, _ := strings.Cut(address, "?")
	first, below, _ := strings.Cut(path, "/")
	switch {
	case !slices.Contains(scopePages, first), isFile(path):
		return to
	case first == "reconcile" && below != "" && !strings.HasSuffix(below, "/forget"), first == "close" && strings.Contains(below, "/"), first == "packages" && strings.Count(below, "/") > 1:
		return to
	}
	add := c.all
	switch {
	case states(query, "period"), below != "" && slices.Contains([]string{"tx", "block", "packages", "close"}, first):
		add = c.own
	case path == "overview", path == "chain":
		add = c.month
	}
	out := make([]byte, 0, len(to)+160)
	out = append(out, path...)
	sign := byte('?')
	for pair, rest := "", query; rest != ""; {
		pair, rest, _ = strings.Cut(rest, "&")
		if pair == "" {
			continue
		}
		name, _, _ := strings.Cut(pair, "=")
		for ; len(add) > 0 && add[0].name < name; add = add[1:] {
			if !states(query, add[0].name) {
				out = append(append(out, sign), add[0].text...)
				sign = '&'
			}
		}
		out = append(append(out, sign), pair...)
		sign = '&'
	}
	for _, p := range add {
		if !states(query, p.name) {
			out = append(append(out, sign), p.text...)
			sign = '&'
		}
	}
	if marked {
		out = append(append(out, '#'), fragment...)
	}
	return string(out)
}

// states reports whether a query has a parameter.
func states(query, name string) bool {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if rest, ok := strings.CutPrefix(pair, name); ok && (rest == "" || rest[0] == '=') {
			return true
		}
	}
	return false
}
