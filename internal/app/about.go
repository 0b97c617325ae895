package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
)

// AboutRequest requests the statement of how a result was made.
type AboutRequest struct {
	Program string   // name and version of the program
	Command string   // the command line that makes the result again, without passwords
	Sources []string // besides the ledger
	Inputs  []closing.Input
}

// about states what every result about a period shares. It reads all its blocks, for the seal.
func (d *Ledger) about(ctx context.Context, h *Held, q *Request, request AboutRequest) (*closing.About, error) {
	source := "ledger " + d.Place
	if d.remove != nil {
		source = "temporary " + source
	}
	a := &closing.About{
		Tool: request.Program, Command: request.Command, Inputs: request.Inputs, Source: strings.Join(append([]string{source}, request.Sources...), "; "),
		Evidence: h.Evidence.String(), Period: h.Name, Timezone: h.Zone.String(), Asked: h.Asked.Heights, Missing: h.Lacks,
		EveryAccount: len(q.Accounts) == 0,
	}
	accounts, err := d.natives(ctx, q.Accounts)
	if err != nil {
		return nil, err
	}
	token, err := d.Token(ctx)
	if err != nil {
		return nil, err
	}
	for _, account := range accounts {
		a.Accounts = append(a.Accounts, closing.Account{Address: token.Account(account)})
	}
	if !h.Asked.Heights.Known() {
		a.From, a.Before = h.Asked.From.String(), h.Asked.To.String()
	}
	id, err := d.Book.Identity(ctx)
	if err != nil {
		return nil, d.wrapErr(err)
	}
	a.Network = id.Network
	if hash, ok := id.Genesis.Get(); ok {
		a.Genesis = hash.String()
	}
	span, ok := h.Span.Get()
	if !ok {
		return a, nil
	}
	if h.All { // the ledger may have more blocks by then
		a.Command += fmt.Sprintf(" %v", span)
	}
	if a.Blocks, err = closing.Examine(ctx, d.Book, h.Asked, span); err != nil {
		return nil, d.wrapErr(err)
	}
	a.First, a.Last, err = d.timesOf(ctx, span)
	return a, err
}

// timesOf returns the times of the first and the last block of a span.
func (d *Ledger) timesOf(ctx context.Context, span chain.Heights) (first, last chain.Optional[chain.Time], err error) {
	of := func(height uint64) (none chain.Optional[chain.Time], err error) {
		b, err := d.Book.Predecessor(ctx, height)
		if err != nil {
			return none, d.wrapErr(err)
		}
		found, _ := b.Get()
		return found.Time, nil
	}
	if first, err = of(span.First); err == nil {
		last, err = of(span.Last)
	}
	return first, last, err
}

// addWei adds an amount in wei and in the token.
func addWei(p *console.Pairs, name string, amount chain.Optional[chain.Wei], token console.Token) {
	wei, ok := amount.Get()
	if !ok {
		p.Add(name, "not known")
		return
	}
	p.Add(name, fmt.Sprintf("%v %s (%s)", wei, token.Unit(), strings.TrimSpace(token.Tokens(wei)+" "+token.Symbol)))
}

// About states how a report was made.
func (d *Ledger) About(ctx context.Context, f *Fees, q *Request, request AboutRequest) (*closing.About, error) {
	if f.Compared != nil {
		return nil, notUnderstood("a comparison has two periods; make a report of each for a statement of how it was made")
	}
	r := f.Report
	h := &Held{q.Period, r.Cover, r.Evidence}
	h.Name, h.Asked, h.Zone = r.Name, r.Period, r.Zone // of all sealed blocks, if no period was asked for
	a, err := d.about(ctx, h, q, request)
	if err != nil {
		return nil, err
	}
	a.Title, a.Notes = r.Title(), r.Notes
	a.Filters = append(a.Filters, "by "+string(r.By))
	for _, condition := range r.Only.Conditions() {
		a.Filters = append(a.Filters, "only "+condition)
	}
	if r.Top > 0 {
		a.Filters = append(a.Filters, fmt.Sprintf("top %d by fee; the last row is the rest", r.Top))
	}
	t := &r.Totals
	a.Totals.Add("rows", fmt.Sprint(len(r.Groups)))
	a.Totals.Add("undetermined fees", fmt.Sprintf("%d, not in the totals", t.Undetermined))
	a.Totals = append(a.Totals, totalPairs(t.EVM+t.Native, chain.Some(t.Fee), t.Charged, r.Token)...)
	return a, nil
}

// totalPairs are the counts and control totals of a report.
func totalPairs(transactions uint64, fee, charged chain.Optional[chain.Wei], token console.Token) (p console.Pairs) {
	p.Add("transactions", fmt.Sprint(transactions))
	addWei(&p, "control total: fee", fee, token)
	addWei(&p, "control total: charged", charged, token)
	return p
}

// About states how an export was made. It adds up the rows again.
func (x *Export) About(ctx context.Context, form string, request AboutRequest) (*closing.About, error) {
	a, err := x.ledger.about(ctx, &x.Held, &x.request.Request, request)
	if err != nil {
		return nil, err
	}
	a.Title, a.Notes = x.style.Title, x.style.Notes
	a.Filters = append(a.Filters, "format "+form, "content "+x.request.With)
	all, err := x.population(ctx, nil)
	if err != nil {
		return nil, x.Explain(err)
	}
	a.Totals.Add("rows", fmt.Sprint(all.count))
	all.addTo(&a.Totals, "", x.style.Token)
	return a, nil
}
