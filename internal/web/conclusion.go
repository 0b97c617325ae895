package web

import (
	"fmt"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/markup"
)

// conclusion says at the top of a package's page in what state it is, by whom, and what is open.
type conclusion struct{ State, Text, Class string }

func (c *conclusion) node() g.Node {
	if c == nil {
		return nil
	}
	return markup.El("p", markup.Attr("class", strings.TrimSpace("conclusion "+c.Class)), markup.El("strong", markup.Text(c.State)), markup.Text(" "+c.Text))
}

// nextSteps says who acts next on a package that is not closed.
var nextSteps = map[ledger.ActKind]string{
	ledger.Prepared: "A reviewer decides next.", ledger.Returned: "A preparer prepares it again.", ledger.Approved: "It can be closed.",
}

// concluded returns the conclusion about a package in a state, whose text says what is open, and more.
func concluded(m *closing.Manifest, round app.Round, dropped, state, more string) *conclusion {
	var open []string
	if found := m.Findings; !found.None() {
		found.Accepted, found.InAssets = 0, 0
		open = append(open, findingsOf(found).Text)
	}
	if !m.Period.Complete || !m.Blocks.Final {
		open = append(open, "the period is not complete and final")
	}
	if n := len(round.Unanswered()); n > 0 {
		open = append(open, fmt.Sprintf("%s without an answer", console.Counted(n, "question")))
	}
	if dropped != "" {
		open = append(open, "no record of fees, which an earlier version had")
	}
	c := &conclusion{State: state, Text: "Nothing is open."}
	if round.State() == ledger.Closed || round.State() == ledger.Approved || len(round) == 0 { // without acts it was closed on the command line
		c.Class = "ok"
	}
	if len(open) > 0 {
		c.Text, c.Class = "Open: "+strings.Join(open, "; ")+".", "warn"
	}
	if !m.Findings.None() {
		c.Class = "bad"
	}
	c.Text = strings.TrimSpace(c.Text + " " + more)
	return c
}

// closedBy says who closed a package, and who approved it; without acts it was closed on the command line.
func closedBy(acts []ledger.Act) string {
	by := map[ledger.ActKind]string{}
	for _, a := range acts {
		by[a.Kind] = a.User
	}
	if by[ledger.Closed] == "" {
		return "Closed on the command line."
	}
	if by[ledger.Approved] != "" {
		return fmt.Sprintf("Closed by %s, approved by %s.", by[ledger.Closed], by[ledger.Approved])
	}
	return fmt.Sprintf("Closed by %s.", by[ledger.Closed])
}
