package app

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// What the columns of a rollforward are of: each month of the period, or all of it.
const (
	ByMonth  = "month"
	ByPeriod = "period"
)

// RollforwardQuestion asks what led from accounts' balances before a period to those after.
type RollforwardQuestion struct {
	Question
	By      string // ByMonth or ByPeriod
	Classes *rollforward.OwnRules
	List    chain.Optional[rollforward.Selection] // the movements that are listed instead
	// Balances is who tells what the accounts had; nil asks for none, and proves nothing.
	Balances    source.Source
	Concurrency int // balances asked for at once; 0 is the default
}

// Rollforward is what was asked for, with how it is shown.
type Rollforward struct {
	*rollforward.Rollforward
	Style rollforward.Style
	list  chain.Optional[rollforward.Selection]
	desk  *Desk
}

// Lines lists the lines.
func (r *Rollforward) Lines() *table.Sheet { return r.Style.Lines(r.Rollforward) }

// Write writes it, or the movements that were asked for, in a form: json, csv, xlsx, or else for
// people.
func (r *Rollforward) Write(ctx context.Context, w io.Writer, form string, width int) error {
	y, made := &r.Style, r.Rollforward
	selected, listed := r.list.Get()
	switch {
	case listed && form == "json":
		return y.WriteMovementsJSON(ctx, w, made, selected)
	case listed && sheetForms[form] != nil:
		return WriteSheet(w, form, y.Movements(ctx, made, selected))
	case listed:
		return y.WriteBrief(ctx, w, made, selected, width)
	case form == "json":
		return y.WriteJSON(w, made)
	case form == "csv":
		return table.WriteCSV(w, r.Lines())
	case form == "xlsx":
		return y.WriteXLSX(ctx, w, made)
	}
	return y.WriteTable(w, made, width)
}

// ReadClasses reads a user's own rules for the classes of movements; nil without a path.
func ReadClasses(path string) (*rollforward.OwnRules, error) {
	if path == "" {
		return nil, nil
	}
	own, _, err := readList(FieldClasses, path, rollforward.ReadOwnRules)
	return own, err
}

// Rollforward makes the rollforward of accounts on a period. Its movements are read from the
// ledger once more when they are listed.
func (d *Desk) Rollforward(ctx context.Context, q RollforwardQuestion) (*Rollforward, error) {
	held, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	return d.rollforward(ctx, &held, n, &q)
}

// rollforward makes the rollforward on what the ledger holds of a period.
func (d *Desk) rollforward(ctx context.Context, held *Held, n *network.Network, q *RollforwardQuestion) (*Rollforward, error) {
	span, err := d.span(held)
	if err != nil {
		return nil, err
	}
	r := &Rollforward{desk: d, list: q.List, Style: rollforward.Style{Network: n.Name, Symbol: n.Symbol, Labels: q.Labels, Zone: held.Zone, Evidence: held.Evidence}}
	asked := rollforward.Question{
		Periods: []rollforward.Period{{Name: held.Name, Span: span}}, Accounts: &addressbook.Book{}, Classifier: rollforward.Classifier{Own: q.Classes},
		Options: balances.Options{Concurrency: q.Concurrency, Progress: q.Progress.show},
	}
	for _, account := range q.Accounts {
		if err := asked.Accounts.Add(q.Labels.Entry(account)); err != nil {
			return nil, notUnderstood("%v: %v", FieldAccounts, err)
		}
	}
	if q.Prices != nil {
		asked.Prices = q.Prices.Valuer()
	}
	if n.Treasury != nil {
		asked.Treasury = chain.Some(*n.Treasury)
	}
	if q.By == ByMonth {
		if asked.Periods, err = d.months(ctx, held, span); err != nil {
			return nil, err
		}
	}
	if q.Balances != nil {
		if asked.Balances, err = d.balances(ctx, q.Balances, span.Last); err != nil {
			return nil, err
		}
	}
	if r.Rollforward, err = rollforward.Make(ctx, d.Book, asked); err != nil {
		return nil, r.Explain(err)
	}
	q.Progress.end()
	if asked.Prices != nil {
		if err := asked.Prices.Check(held.Partial); err != nil {
			return nil, err
		}
	}
	r.Style.Title = fmt.Sprintf("Rollforward, %s, %s, accounts: %d", n.Name, held.Name, len(q.Accounts))
	if r.Style.Notes, err = r.notes(ctx, held, span); err == nil && asked.Prices != nil {
		r.Style.Notes = append(r.Style.Notes, asked.Prices.Notes()...)
	}
	return r, err
}

// Explain says of an error whose it is: the ledger is read while movements are listed.
func (r *Rollforward) Explain(err error) error { return (&Statements{desk: r.desk}).Explain(err) }

// Holds tells whether nothing is wrong, unknown or unexplained.
func (r *Rollforward) Holds() bool {
	return r.Rollforward.Holds() && !slices.ContainsFunc(r.Statements, isWrong)
}

// notes are what a reader must know, the proof first.
func (r *Rollforward) notes(ctx context.Context, h *Held, span chain.Heights) ([]string, error) {
	notes := []string{r.proof()}
	more, err := r.desk.notesOn(ctx, h, span)
	if err != nil {
		return nil, err
	}
	notes = append(notes, more...)
	for _, s := range r.Statements {
		for _, note := range s.Notes()[1:] { // all but the proof, which is said of all
			notes = append(notes, fmt.Sprintf("%v, blocks %v: %s", s.Account, s.Span, note))
		}
	}
	var unread uint64
	for _, err := range r.desk.Book.Unclassified(ctx, ledger.Query{Span: span}) {
		if err != nil {
			return nil, r.desk.of(err)
		}
		unread++
	}
	if unread > 0 {
		notes = append(notes, console.Counted(unread, "balances event")+" of these blocks cannot be read, so that nobody knows whose "+
			console.Verb(unread, "it is: what it moved", "they are: what they moved")+" would be unexplained")
	}
	return append(notes, "gains are not computed", "evidence of the movements: "+h.Evidence.String()), nil
}

// proof says in a line how far the rollforward is proved.
func (r *Rollforward) proof() string {
	wrong := 0
	for _, s := range r.Statements {
		if !s.Opening.Known() {
			return "NOT PROVED: the balances were left out"
		}
		if !s.Holds() {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Sprintf("UNEXPLAINED: of %s, %d %s not close: opening and movements do not make the closing balance", console.Counted(len(r.Statements), "balance"), wrong, console.Verb(wrong, "does", "do"))
	}
	return "proved to the wei: opening + lines = closing, free and reserved"
}

// months are the months of what the ledger has of a period, one after the other without a
// gap. A block whose time goes backwards is where its height is.
func (d *Desk) months(ctx context.Context, h *Held, span chain.Heights) (list []rollforward.Period, err error) {
	first, err := d.monthAt(ctx, h, span.First)
	if err != nil {
		return nil, err
	}
	last, err := d.monthAt(ctx, h, span.Last)
	if err != nil {
		return nil, err
	}
	for month := first; !month.After(last); month = month.AddDate(0, 1, 0) {
		p := Period{Zone: h.Zone}
		name := month.Format("2006-01")
		if err := p.days(name, month, month.AddDate(0, 1, -1)); err != nil {
			return nil, err
		}
		cover, err := d.Book.Cover(ctx, p.Asked)
		if err != nil {
			return nil, d.of(err)
		}
		blocks, some := cover.Span.Get()
		if blocks.First, blocks.Last = max(blocks.First, span.First), min(blocks.Last, span.Last); !some || blocks.First > blocks.Last {
			continue
		}
		lacks := month.Equal(first) && h.LacksBeginning() || month.Equal(last) && h.LacksEnd() // whatever the ledger has by now
		if lacks || len(cover.Lacks) > 0 || cover.Span != chain.Some(blocks) {
			p.Name = "part of " + p.Name
		}
		list = append(list, rollforward.Period{Name: p.Name, Span: blocks})
	}
	if len(list) == 0 {
		return []rollforward.Period{{Name: h.Name, Span: span}}, nil
	}
	list[0].Span.First, list[len(list)-1].Span.Last = span.First, span.Last
	for i := 1; i < len(list); i++ {
		list[i-1].Span.Last = list[i].Span.First - 1
	}
	return list, nil
}

// monthAt is the first day of the month of a block. Block 0 has no time: the one after it has.
func (d *Desk) monthAt(ctx context.Context, h *Held, height uint64) (month time.Time, err error) {
	for b, err := range d.Book.Blocks(ctx, ledger.Query{Span: chain.Heights{First: max(height, 1), Last: max(height, 1)}}) {
		if err != nil {
			return month, d.of(err)
		}
		if at, ok := b.Time.Get(); ok {
			t := at.Std().In(h.Zone)
			return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC), nil
		}
	}
	return month, d.of(fmt.Errorf("block %d does not say when it was made, so that it is of no month: --by period does without: %w", height, chain.ErrMissing))
}
