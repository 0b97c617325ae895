package reconcile

import (
	"strings"
	"time"

	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
)

// entry returns what a record lacks of a transaction without a row, in lines: when, what, how much, who and the hash.
func (r *Result) entry(i *Item) []string {
	t, known := i.Transaction.Get()
	if i.Outcome != OnlyOnChain || !known {
		return nil
	}
	when := "time unknown"
	if at, known := t.Time.Get(); known {
		when = at.Std().In(r.Options.Zone).Format(time.DateTime + " MST")
	}
	layer := string(t.Layer)
	if t.Layer == fee.EVM {
		layer = "EVM"
	}
	token := r.Options.Token()
	payer := "payer unknown"
	if a, known := t.Payer.Get(); known {
		payer = "payer " + token.Account(a)
		if book := r.Options.Labels; book != nil {
			if label, named := book.LabelOf(t.Payer).Get(); named {
				payer += " (" + label + ")"
			}
		}
	}
	amount := strings.TrimSpace(console.Plain(knownTokens(r, i.Chain)) + " " + token.Symbol)
	return []string{when + ", " + layer + " " + t.Call + ", " + amount, payer, "hash " + t.NameHash().String()}
}
