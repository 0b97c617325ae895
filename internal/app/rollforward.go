package app

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// The columns of a rollforward: one for each month of the period, or one for all of it.
const (
	ByMonth  = "month"
	ByPeriod = "period"
)

// RollforwardRequest requests a rollforward: what led from accounts' balances before a period to those after it.
type RollforwardRequest struct {
	Request
	By      string // ByMonth or ByPeriod
	Classes *rollforward.OwnRules
	List    chain.Optional[rollforward.Selection] // list these movements instead
	// Balances is the source of balances; without it nothing is proved.
	Balances    source.Source
	Concurrency int // parallel balance requests; 0 is the default
}

// Rollforward is a rollforward with its style.
type Rollforward struct {
	*rollforward.Rollforward
	Style   rollforward.Style
	request *RollforwardRequest
	held    *Held
	ledger  *Ledger
}

// Lines returns the lines as a table.
func (r *Rollforward) Lines() *table.Sheet { return r.Style.Lines(r.Rollforward) }

// Document returns the rollforward, or the movements asked for, in all formats.
func (r *Rollforward) Document(ctx context.Context) *table.Document {
	y, made := &r.Style, r.Rollforward
	if selected, listed := r.request.List.Get(); listed {
		return &table.Document{
			List: y.Movements(ctx, made, selected),
			JSON: func(w io.Writer) error { return y.WriteMovementsJSON(ctx, w, made, selected) },
			Text: func(w io.Writer, width int) error { return y.WriteBrief(ctx, w, made, selected, width) },
		}
	}
	return &table.Document{
		List: r.Lines(), Book: y.Sheets(ctx, made),
		JSON: func(w io.Writer) error { return y.WriteJSON(w, made) },
		Text: func(w io.Writer, width int) error { return y.WriteTable(w, made, width) },
	}
}

// ReadClasses reads a user's own rules for the classes of movements; it returns nil for "".
func ReadClasses(path string) (*rollforward.OwnRules, error) {
	if path == "" {
		return nil, nil
	}
	own, _, err := readList(FieldClasses, path, rollforward.ReadOwnRules)
	return own, err
}

// Rollforward makes the rollforward of accounts for a period. Its movements are read from the ledger again
// when they are listed.
func (d *Ledger) Rollforward(ctx context.Context, q RollforwardRequest) (*Rollforward, error) {
	held, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	return d.rollforward(ctx, &held, n, &q)
}

// rollforward makes the rollforward from what the ledger contains of a period.
func (d *Ledger) rollforward(ctx context.Context, held *Held, n *network.Network, q *RollforwardRequest) (*Rollforward, error) {
	span, err := d.span(held)
	if err != nil {
		return nil, err
	}
	prices, accounts, err := d.resolve(ctx, console.Token(n.Token()), &q.Request)
	if err != nil {
		return nil, err
	}
	r := &Rollforward{ledger: d, request: q, held: held, Style: rollforward.Style{Network: n.Name, Token: console.Token(n.Token()), Labels: q.Labels, Zone: held.Zone, Evidence: held.Evidence}}
	request := rollforward.Request{
		Accounts: &addressbook.Book{}, Classifier: rollforward.Classifier{Own: q.Classes},
		Options: balances.Options{Concurrency: q.Concurrency, Progress: q.Progress.show},
	}
	for _, account := range accounts {
		if err := request.Accounts.Add(q.Labels.Entry(account)); err != nil {
			return nil, notUnderstood("%v: %v", FieldAccounts, err)
		}
	}
	if prices != nil {
		request.Prices = prices.Valuer()
	}
	request.Treasury, request.Pot = treasuryOf(n)
	whole := rollforward.Period{Name: held.Name, Span: span}
	if whole.OpensAt, whole.ClosesAt, err = d.valuedAt(ctx, held, span); err != nil {
		return nil, err
	}
	request.Periods = []rollforward.Period{whole}
	if q.By == ByMonth {
		if request.Periods, err = d.months(ctx, held, &whole); err != nil {
			return nil, err
		}
	}
	if q.Balances != nil {
		if request.Balances, err = d.balances(ctx, q.Balances, span.Last); err != nil {
			return nil, err
		}
	}
	book, err := d.withDeposits(ctx, n, q.deposits, accounts, span)
	if err != nil {
		return nil, err
	}
	if r.Rollforward, err = rollforward.Make(ctx, book, request); err != nil {
		return nil, r.Explain(err)
	}
	q.Progress.end()
	if request.Prices != nil {
		if err := request.Prices.Check(held.Partial); err != nil {
			return nil, err
		}
	}
	r.Style.Title = fmt.Sprintf("Rollforward, %s, %s, accounts: %d", n.Name, console.PeriodName(held.Name), len(accounts))
	if r.Style.Notes, err = r.notes(ctx, held, span); err == nil && request.Prices != nil {
		r.Style.Notes = slices.Concat(r.Style.Notes, request.Prices.Notes(), r.ValueNotes())
	}
	return r, err
}

// Explain adds the ledger's location to an error that the ledger caused while movements were listed.
func (r *Rollforward) Explain(err error) error {
	return (&Statements{ledger: r.ledger, Style: statement.Style{Token: r.Style.Token}}).Explain(err)
}

// Holds reports whether nothing is wrong, unknown or unexplained.
func (r *Rollforward) Holds() bool {
	return r.Rollforward.Holds() && !slices.ContainsFunc(r.Statements, isWrong)
}

// notes returns the notes for the reader, the proof first.
func (r *Rollforward) notes(ctx context.Context, h *Held, span chain.Heights) ([]string, error) {
	notes := []string{r.proof()}
	more, err := r.ledger.notesOn(ctx, h, span)
	if err != nil {
		return nil, err
	}
	notes = append(notes, more...)
	for _, s := range r.Statements {
		for _, note := range s.Notes(r.Style.Token)[1:] { // without the proof, which is stated for all statements
			notes = append(notes, fmt.Sprintf("%s, blocks %v: %s", r.Style.Account(s.Account), s.Span, note))
		}
	}
	assets, err := r.assetFees(ctx, span)
	if err != nil {
		return nil, r.ledger.wrapErr(err)
	}
	notes = append(notes, assets.Notes(r.Style.Token.Amount)...)
	var unread uint64
	for _, err := range r.ledger.Book.Unclassified(ctx, ledger.Query{Span: span}) {
		if err != nil {
			return nil, r.ledger.wrapErr(err)
		}
		unread++
	}
	if unread > 0 {
		notes = append(notes, console.Counted(unread, "balances event")+" in these blocks cannot be decoded; "+
			console.Verb(unread, "any amount it moved appears", "any amounts they moved appear")+" as unexplained")
	}
	return append(notes, "gains are not computed", "evidence of the movements: "+h.Evidence.String()), nil
}

// assetFees adds up what the accounts paid in assets. A rollforward of the token does not contain it.
func (r *Rollforward) assetFees(ctx context.Context, span chain.Heights) (sum fee.AssetTotals, err error) {
	q := ledger.Query{Span: span}
	for _, s := range r.Statements {
		q.Accounts = append(q.Accounts, s.Account)
	}
	for t, err := range r.ledger.Book.PaidInAssets(ctx, q) {
		if err == nil {
			err = sum.Add(&t.AssetFee)
		}
		if err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// proof states in one line whether the rollforward is proved.
func (r *Rollforward) proof() string {
	wrong := 0
	for _, s := range r.Statements {
		if !s.Opening.Known() {
			return "Not proved: balances were not queried"
		}
		if !s.Holds() {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Sprintf("Unexplained: of %s, %d %s not close: opening balance plus movements differs from the closing balance", console.Counted(len(r.Statements), "balance"), wrong, console.Verb(wrong, "does", "do"))
	}
	return "proved to the " + r.Style.Token.Unit() + ": opening + lines = closing, free and reserved"
}

// months lists the months of what the ledger contains of a period, without gaps. A block whose time goes
// backwards belongs to the month of its height.
func (d *Ledger) months(ctx context.Context, h *Held, whole *rollforward.Period) (list []rollforward.Period, err error) {
	span := whole.Span
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
			return nil, d.wrapErr(err)
		}
		blocks, some := cover.Span.Get()
		if blocks.First, blocks.Last = max(blocks.First, span.First), min(blocks.Last, span.Last); !some || blocks.First > blocks.Last {
			continue
		}
		lacks := month.Equal(first) && h.LacksBeginning() || month.Equal(last) && h.LacksEnd() // even if the ledger contains more by now
		if lacks || len(cover.Lacks) > 0 || cover.Span != chain.Some(blocks) {
			p.Name = "part of " + p.Name
		}
		list = append(list, rollforward.Period{Name: p.Name, Span: blocks, ClosesAt: justBefore(p.Asked.To)})
	}
	if len(list) == 0 {
		return []rollforward.Period{*whole}, nil
	}
	end := &list[len(list)-1]
	list[0].Span.First, list[0].OpensAt, end.Span.Last, end.ClosesAt = span.First, whole.OpensAt, span.Last, whole.ClosesAt
	for i := 1; i < len(list); i++ {
		list[i-1].Span.Last, list[i].OpensAt = list[i].Span.First-1, list[i-1].ClosesAt
	}
	return list, nil
}

// valuedAt returns the times at whose prices the balances at the ends of a period are valued: the last moment before it, and
// its last moment. If the ledger lacks its beginning or end, or for a range of heights, they are those of the blocks.
func (d *Ledger) valuedAt(ctx context.Context, h *Held, span chain.Heights) (opening, closing chain.Optional[chain.Time], err error) {
	if opening, closing, err = d.timesOf(ctx, span); err != nil || h.Asked.Heights.Known() {
		return opening, closing, err
	}
	if !h.LacksBeginning() {
		opening = justBefore(h.Asked.From)
	}
	if !h.LacksEnd() {
		closing = justBefore(h.Asked.To)
	}
	return opening, closing, nil
}

// justBefore returns the last moment before a time; unknown if there is none.
func justBefore(t chain.Time) (none chain.Optional[chain.Time]) {
	if before, err := chain.TimeAt(uint64(max(t.Std().UnixMilli(), 1)) - 1); err == nil {
		return chain.Some(before)
	}
	return none
}

// monthAt returns the first day of a block's month. Block 0 has no time; the next block's is used.
func (d *Ledger) monthAt(ctx context.Context, h *Held, height uint64) (month time.Time, err error) {
	for b, err := range d.Book.Blocks(ctx, ledger.Query{Span: chain.Heights{First: max(height, 1), Last: max(height, 1)}}) {
		if err != nil {
			return month, d.wrapErr(err)
		}
		if at, ok := b.Time.Get(); ok {
			t := at.Std().In(h.Zone)
			return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC), nil
		}
	}
	return month, d.wrapErr(fmt.Errorf("block %d has no time and belongs to no month; use --by period: %w", height, chain.ErrMissing))
}

// treasuryOf returns the treasury's account, or that of the pot that receives fees in its place.
func treasuryOf(n *network.Network) (treasury, pot chain.Optional[chain.Address]) {
	switch {
	case n.Treasury == nil:
	case n.TreasuryName == "":
		treasury = chain.Some(*n.Treasury)
	default:
		pot = chain.Some(*n.Treasury)
	}
	return treasury, pot
}
