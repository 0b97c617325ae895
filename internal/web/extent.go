package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// extent is how many transactions a list in chain order has on all its pages, and their fees. It is shared by requests.
type extent struct {
	count  chain.Optional[uint64]
	fee    chain.Optional[chain.Wei]
	more   bool            // there are more transactions than count
	ends   []ledger.Place  // the last row of each full page, if the rows were read
	assets fee.AssetTotals // the fees that were paid in assets
}

// maxCountedRows limits the transactions that are read to count them.
const maxCountedRows = 20_000

// listAndExtent reads a page of a list with its rows, and the extent of the list: from the ledger's totals, meanwhile, if it is
// of all transactions of the period.
func (s *server) listAndExtent(r *http.Request, sc *scope, q app.TransactionsRequest, sealed string) (made *app.TransactionList, rows *table.Sheet, all extent, err error) {
	kept := func(readsMuch bool, read func(context.Context) (extent, error)) (extent, error) {
		address := "transactions" + sc.query(without(sc.own, append(listingParameters, "limit")...))
		return keptOf(s, r, q.Period, s.extents, sealed, address, readsMuch, read)
	}
	var totals sync.WaitGroup
	var failed error
	ofPeriod := len(q.Payers) == 0 && q.Only.IsAll()
	if ofPeriod {
		totals.Go(func() {
			all, failed = kept(false, func(ctx context.Context) (extent, error) { return s.extentOfPeriod(ctx, q.Period) })
		})
	}
	if made, err = s.paidTransactions(r, q); err == nil {
		rows, err = s.pageSheet(r.Context(), made.Token, made.List)
	}
	totals.Wait()
	switch {
	case err != nil || ofPeriod:
		err = cmp.Or(err, failed)
	case !made.Next.Known() && !q.After.Known():
		all, err = extentOfRows(made)
	default:
		all, err = kept(true, func(ctx context.Context) (extent, error) { return s.readExtent(ctx, q, made) })
	}
	return made, rows, all, err
}

// extentOfPeriod returns the extent of the list of all transactions of a period.
func (s *server) extentOfPeriod(ctx context.Context, p app.Period) (all extent, err error) {
	sums, err := s.Ledger.Report(ctx, app.Request{Period: p}, report.Choice{By: report.Month})
	if err != nil {
		return all, err
	}
	all.count, all.assets = chain.Some(sums.Totals.EVM+sums.Totals.Native), sums.AssetFees
	if sums.Totals.Undetermined == 0 {
		all.fee = chain.Some(sums.Totals.Fee)
	}
	return all, nil
}

// extentOfAccount returns the extent of the list of what an account paid for.
func extentOfAccount(a *app.AccountSummary) (all extent) {
	all.count = chain.Some(a.Fees.EVM + a.Fees.Native)
	if a.Fees.Undetermined == 0 {
		all.fee = chain.Some(a.Fees.Fee)
	}
	return all
}

// readExtent returns the extent of a list of which made is a page. It reads the transactions that selected accounts paid for;
// of other lists, only the fees in assets.
func (s *server) readExtent(ctx context.Context, q app.TransactionsRequest, made *app.TransactionList) (all extent, err error) {
	if len(q.Payers) > 0 {
		first := q
		first.After, first.Limit = chain.Optional[ledger.Place]{}, maxCountedRows
		list, err := s.Ledger.Transactions(ctx, first)
		if err != nil {
			return all, err
		}
		if all, err = extentOfRows(list); err != nil || !all.more {
			return all, err
		}
	}
	all.assets, err = s.Ledger.AssetFees(ctx, made, q)
	return all, err
}

// extentOfRows returns the extent of a list from its first rows.
func extentOfRows(made *app.TransactionList) (all extent, err error) {
	sum, known := chain.Wei{}, true
	for i, t := range made.List {
		fee, priced := t.Fee.Get()
		if known = known && priced; known {
			if sum, err = sum.Add(fee); err != nil {
				return all, err
			}
		}
		if t.InAsset() {
			if err := all.assets.Add(&t.AssetFee); err != nil {
				return all, err
			}
		}
		if (i+1)%pageRows == 0 {
			all.ends = append(all.ends, t.Place())
		}
	}
	all.count, all.more = chain.Some(uint64(len(made.List))), made.Next.Known()
	if known && !all.more {
		all.fee = chain.Some(sum)
	}
	return all, nil
}

// text names the rows of a page and the fees of all rows.
func (e *extent) text(after chain.Optional[ledger.Place], rows int, token console.Token) string {
	count, counted := e.count.Get()
	of, sum := "", ""
	if counted {
		if of = " of " + console.Grouped(count); e.more {
			of = " of more than " + console.Grouped(count)
		}
	}
	if fee, known := e.fee.Get(); known {
		sum = ", " + cut(token, fee) + " " + plain.Line(token.Symbol)
	} else if counted && !e.more {
		sum = ", total " + notKnown
	}
	first, known := e.first(after)
	switch {
	case known && rows > 0:
		return console.Grouped(first) + "–" + console.Grouped(first+uint64(rows)-1) + of + sum + "."
	case counted:
		return console.Grouped(uint64(rows)) + of + " transactions" + sum + "."
	}
	return console.Counted(rows, "transaction") + " on this page."
}

// first returns the number of a page's first row, if it is known.
func (e *extent) first(after chain.Optional[ledger.Place]) (number uint64, known bool) {
	at, later := after.Get()
	if !later {
		return 1, true
	}
	i, found := slices.BinarySearchFunc(e.ends, at, ledger.Place.Compare)
	return uint64(i+1)*pageRows + 1, found
}

// Limits of the blocks that are read to find the page before another.
const (
	firstLookBack = 64
	maxLookBack   = 1 << 16
)

// pageBefore returns the place after which the page before a place begins; unknown for the first page. It reports whether
// it found the page, for which it reads a limited number of blocks.
func (s *server) pageBefore(ctx context.Context, q app.TransactionsRequest, made *app.TransactionList, all extent, at ledger.Place) (before chain.Optional[ledger.Place], found bool, err error) {
	rows := q.Limit
	if rows == 0 {
		rows = app.DefaultTransactions
	}
	if i, found := slices.BinarySearchFunc(all.ends, at, ledger.Place.Compare); found && rows == pageRows {
		if i > 0 {
			before = chain.Some(all.ends[i-1])
		}
		return before, true, nil
	}
	span, some := made.Held.Span.Get()
	if !some || at.Height < span.First {
		return before, true, nil
	}
	last := min(at.Height, span.Last)
	for back := uint64(firstLookBack); back <= maxLookBack; back *= 8 {
		first := span.First
		if last > span.First+back {
			first = last - back
		}
		places, err := s.placesUpTo(ctx, q, &made.Held, chain.Heights{First: first, Last: last}, at, rows+1)
		if err != nil {
			return before, false, err
		}
		if len(places) > rows {
			return chain.Some(places[0]), true, nil
		}
		if first == span.First {
			return before, true, nil
		}
	}
	return before, false, nil
}

// placesUpTo returns the last places of a list up to one, within some blocks.
func (s *server) placesUpTo(ctx context.Context, q app.TransactionsRequest, held *app.Held, span chain.Heights, at ledger.Place, count int) (places []ledger.Place, err error) {
	part := q
	part.Period, part.After, part.Limit = app.Heights(span.First, span.Last), chain.Optional[ledger.Place]{}, maxListed
	part.Period.Partial = true
	list, err := s.Ledger.Transactions(ctx, part)
	if err != nil {
		return nil, err
	}
	for t, err := range s.following(ctx, list, part) {
		if err != nil {
			return nil, err
		}
		if t.Place().Compare(at) > 0 {
			break
		}
		if !held.Asked.Has(t.Height, t.Time) {
			continue
		}
		if places = append(places, t.Place()); len(places) >= 2*count {
			places = slices.Delete(places, 0, len(places)-count)
		}
	}
	return places[max(0, len(places)-count):], nil
}
