package web

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// monthToClose returns the month that the overview is about: the first complete one that is not closed, otherwise the
// last one. Without a package directory, nothing is known to be closed.
func monthToClose(months []month, packages bool) month {
	chosen := months[len(months)-1]
	for i := len(months) - 1; i >= 0; i-- {
		if months[i].State != "complete" {
			continue
		}
		if chosen = months[i]; !packages {
			break
		}
	}
	return chosen
}

// closeStep is a step of closing a month.
type closeStep struct {
	name  string
	state cell
	next  cell // the page or the command for what is missing
}

// checklist returns the steps that close a month, and what is missing.
func (s *server) checklist(m month, findings int, k *monthRecord, sc *scope) *tabular {
	about := sc.feesIn(m)
	if k == nil {
		k = new(monthRecord)
	}
	filled := closeStep{"in the ledger", cell{Text: "complete", Class: "ok"}, cell{}}
	if m.Partial {
		filled.state = cell{Text: "partial", Class: "bad"}
		filled.next = cell{Text: "fees sync --month " + m.Name + s.gatewayFlag() + s.dataFlag(), Class: "hex"}
	}
	steps := []closeStep{filled, findingsStep(findings, about), s.statementsStep(k), reconciledStep(k, about), s.closedStep(m, k, about)}
	t := &tabular{Heads: heads("step", "state", "next")}
	verdict, tone := verdictOf(m, findings, k)
	t.Title, t.Tone = about.name()+" "+verdict, tone
	for _, p := range steps {
		t.Rows = append(t.Rows, []cell{{Text: p.name}, p.state, p.next})
	}
	return t
}

// verdictOf returns whether a month can be closed, in words and as a class.
func verdictOf(m month, findings int, k *monthRecord) (text, class string) {
	switch made := k.made; {
	case k.isOpen() && made != nil && !made.Findings.None():
		return "is being closed, with findings", "bad"
	case k.isOpen():
		return "is being closed", ""
	case made != nil && !made.Findings.None():
		return "is closed, with findings", "bad"
	case made != nil && made.Findings.InAssets > 0:
		return "is closed, but fees in assets were not compared", ""
	case made != nil:
		return "is closed", "ok"
	case m.Partial:
		return "cannot be closed yet", "bad"
	case findings > 0:
		return "can be closed, with " + findingsText(findings), "bad"
	}
	return "can be closed", "ok"
}

// findingsText counts findings in words, up to maxCounted.
func findingsText(count int) string {
	if count > maxCounted {
		return fmt.Sprintf("more than %d findings", maxCounted)
	}
	return console.Counted(count, "finding")
}

// maxCounted limits the findings counted for the checklist.
const maxCounted = 1000

var errEnough = errors.New("enough")

// countFindings counts the findings of a period, up to one more than maxCounted.
func (s *server) countFindings(ctx context.Context, period app.Period) (count int, err error) {
	list, err := s.Ledger.ListFindings(ctx, period)
	if err != nil {
		return 0, err
	}
	_, err = list.Sheet.Each(func([]table.Cell) error {
		if count++; count > maxCounted {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return count, err
}

func findingsStep(count int, about *scope) closeStep {
	p := closeStep{"findings", cell{Text: "none", Class: "ok"}, cell{Text: "Findings", To: "findings" + about.query(nil)}}
	if count > 0 {
		p.state = cell{Text: findingsText(count), Class: "bad"}
	}
	return p
}

func (s *server) statementsStep(k *monthRecord) closeStep {
	p, made := closeStep{"statements", cell{Text: "not checked"}, cell{Text: "Accounts", To: "accounts"}}, k.made
	switch {
	case made == nil && s.balances() == nil:
		p.next = cell{Text: "fees serve --gateway URL" + s.dataFlag(), Class: "hex"}
	case made == nil:
	case !made.balances && k.isOpen():
		p.state = cell{Text: "prepared without balances", Class: "bad"}
	case !made.balances:
		p.state = cell{Text: "closed without balances", Class: "bad"}
	case made.Findings.Statements > 0:
		p.state = cell{Text: fmt.Sprintf("%d of %d not proved", made.Findings.Statements, len(made.accounts)), Class: "bad"}
	default:
		p.state, p.next = cell{Text: fmt.Sprintf("%d proved", len(made.accounts)), Class: "ok"}, cell{}
	}
	return p
}

func reconciledStep(k *monthRecord, about *scope) closeStep {
	compared := k.books(about)
	p := closeStep{"reconciled", cell{Text: compared.Text, Class: compared.Class}, cell{Text: "Reconcile", To: "reconcile" + about.query(nil)}}
	if compared.Class == "ok" {
		p.next = cell{}
	}
	return p
}

func (s *server) closedStep(m month, k *monthRecord, about *scope) closeStep {
	if k.isOpen() {
		c := s.packageCell(m, k, about)
		return closeStep{"closed", cell{Text: c.Text}, cell{Text: "Package to review or close", To: c.To}}
	}
	if made := k.made; made != nil {
		return closeStep{"closed", cell{Text: fmt.Sprintf("version %d", made.Version), Class: "ok"}, cell{Text: "Package", To: "packages/" + url.PathEscape(made.Name)}}
	}
	if m.Partial { // the command would fail
		return closeStep{"closed", cell{Text: "not closed"}, cell{Text: "after the month is complete"}}
	}
	if s.closes() {
		return closeStep{"closed", cell{Text: "not closed"}, cell{Text: "Close", To: "close" + about.query(nil)}}
	}
	return closeStep{"closed", cell{Text: "not closed"}, cell{Text: s.closeCommand(m.Name), Class: "hex"}}
}

// closeCommand returns the command that closes a month.
func (s *server) closeCommand(month string) string {
	return "fees close --month " + month + " --accounts FILE -o " + console.Argument(path.Join(s.Packages, month)) + s.gatewayFlag() + s.dataFlag()
}
