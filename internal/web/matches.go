package web

import (
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
)

// maxMatches limits the suggestions of a look-up.
const maxMatches = 50

// match is a suggestion of a look-up.
type match struct {
	kind, text, about, to string
	fee                   chain.Optional[chain.Wei]
}

// matches returns the groups, labels and addresses of the address book that contain a text.
func (s *server) matches(text string, network console.Token) (list []match) {
	if s.labels() == nil {
		return nil
	}
	first, last, shortened := endsOf(text)
	text = strings.ToLower(text)
	add := func(m match) {
		if len(list) < maxMatches {
			list = append(list, m)
		}
	}
	of := strings.TrimPrefix(text, app.GroupPrefix)
	for _, group := range s.labels().GroupNames() {
		if strings.Contains(strings.ToLower(group), of) {
			add(match{kind: "group", text: group, to: "fees" + (&scope{Accounts: app.GroupPrefix + group}).query(nil)})
		}
	}
	for _, e := range s.labels().Entries() {
		address := network.Account(e.Address)
		if e.Label != "" && strings.Contains(strings.ToLower(e.Label), text) || shortened && hasEnds(address, first, last) {
			label := e.Label
			if label == "" {
				label = console.Ends(address, 4)
			}
			add(match{kind: "account", text: label, about: address, to: "account/" + address})
		}
	}
	return list
}

// matchTable lists suggestions.
func matchTable(list []match, token console.Token) *tabular {
	t := &tabular{Heads: heads("name", "kind", "address or hash", "fee, "+plain.Line(token.Symbol))}
	t.Heads[3].Class = "figure"
	for _, m := range list {
		row := []cell{{Text: plain.Line(m.text), To: m.to}, {Text: m.kind}, {Text: m.about, Class: "hex"}, {}}
		if m.fee.Known() {
			row[3] = wei(token, m.fee)
		}
		t.Rows = append(t.Rows, row)
	}
	t.dropEmpty()
	return t
}

// known returns the names that the look-up field suggests.
func (s *server) known() (list []string) {
	if s.labels() == nil {
		return nil
	}
	for _, group := range s.labels().GroupNames() {
		list = append(list, app.GroupPrefix+group)
	}
	for _, e := range s.labels().Entries() {
		if e.Label != "" {
			list = append(list, e.Label)
		}
	}
	return list[:min(len(list), maxMatches)]
}
