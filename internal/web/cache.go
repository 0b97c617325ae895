package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
)

// Limits of the answer cache, in total and per answer. Longer answers are not cached.
const (
	maxCacheBytes  = 64 << 20
	maxAnswerBytes = 2 << 20
)

// kept is a cached answer.
type kept struct {
	contentType string
	name        string // of the file, if it is one
	body        []byte
	unsealed    bool // not only of sealed blocks: it is sent once
}

func sizeOfAnswer(k kept) int { return len(k.body) }

// keptList is a cached page with a list: the page around it, and the values of rows.
type keptList struct {
	page     listPage
	sheet    *table.Sheet // the list, whose rows are read once
	order    string       // the sort order that it has; "" for none
	unlisted report.Unlisted
	none     bool      // nothing is worth listing
	largest  chain.Wei // the largest fee, which scales the drawn shares
	read     *rows     // some rows, or all
	after    int       // number of rows before them
}

// keptRows is the number of rows that are cached around a page of a list. All rows are read for a page in another order.
var keptRows = 1000

// keptListOf is keptOf for a page of a list. The function build gets the rows that suffice.
func (s *server) keptListOf(r *http.Request, about app.Period, sealed, address string, readsMuch bool, l listing, build func(context.Context, report.Window) (*keptList, error)) (*keptList, error) {
	get := func(kept *once[*keptList], w report.Window) (*keptList, error) {
		return keptOf(s, r, about, kept, sealed, fmt.Sprintf("%s\n%d", address, w.After), readsMuch, func(ctx context.Context) (*keptList, error) {
			k, err := build(ctx, w)
			if err == nil {
				err = k.readRows(w)
			}
			return k, err
		})
	}
	w := report.Window{After: l.After / keptRows * keptRows, Count: keptRows}
	if l.After+l.rows() > w.After+w.Count {
		w.After = l.After
	}
	k, err := get(s.lists, w)
	if err != nil || l.Sort == "" || l.Sort == k.order || k.read.count <= len(k.read.page) {
		return k, err
	}
	return get(s.wholeLists, report.Window{})
}

// readRows reads some rows, and what is known of all.
func (k *keptList) readRows(w report.Window) (err error) {
	if k.unlisted.Groups > 0 { // the sheet has only those
		k.after, w.After = w.After, 0
	}
	if k.read, err = readRows(k.sheet, listing{After: w.After, limit: cmp.Or(w.Count, maxAfter)}, nil); err != nil {
		return err
	}
	k.after += w.After
	k.sheet.Rows = nil // the cells refer to the sheet
	k.read.count += k.unlisted.Groups
	for i, c := range k.read.columns {
		k.read.used[i] = k.read.used[i] || c.Name == "label" && k.unlisted.Labelled || c.Name == "group" && k.unlisted.Grouped
	}
	k.read.charged = k.read.charged && !k.unlisted.OtherThanCharged
	return nil
}

// pageAt returns the rows of a page.
func (k *keptList) pageAt(l listing) (*rows, error) {
	l.After -= k.after
	return k.read.pageAt(l)
}

// rowBytes is the size of the values of a row.
const rowBytes = 1 << 10

func sizeOfList(l *keptList) int { return len(l.read.page)*rowBytes + 8<<10 }

// Limits of the cached lists, account summaries and figures of accounts.
const (
	maxListBytes = 96 << 20
	maxSummaries = 1000
	maxFigures   = 100 // of a page of accounts
)

// maxStates limits the cached states of past periods.
const maxStates = 1000

// stateOf caches [app.Ledger.StateOf] for past periods: finding where a day of another time zone begins
// reads through the blocks of a ledger day.
func (s *server) stateOf(ctx context.Context, about app.Period) (app.State, error) {
	whole, err := s.Ledger.State(ctx)
	span, some := whole.Span.Get()
	if err != nil || !some || about.All {
		return whole, err
	}
	key := fmt.Sprintf("%s\n%s\n%d\n%v", s.base, s.stamp(), span.First, about.Asked)
	return s.states.get(ctx, s.Time, key, func(ctx context.Context) (of app.State, keep bool, err error) {
		of, err = s.Ledger.StateOf(ctx, about)
		return of, of.Span != whole.Span, err
	})
}

// keptOf returns the cached value for an address and a state of the ledger, or the result of build, shared by
// concurrent requests. Expensive reads have their own queue.
func keptOf[T any](s *server, r *http.Request, about app.Period, kept *once[T], sealed, address string, readsMuch bool, build func(context.Context) (T, error)) (T, error) {
	if readsMuch {
		releaseSlot(r)
	}
	return kept.get(r.Context(), s.Time, strings.Join([]string{s.base, s.stamp(), sealed, address}, "\n"), func(ctx context.Context) (value T, keep bool, err error) {
		if readsMuch {
			leave, err := s.slots.acquireLong(ctx)
			if err != nil {
				return value, false, err
			}
			defer leave()
		}
		if value, err = build(ctx); err != nil {
			return value, false, err
		}
		now, err := s.stateOf(ctx, about)
		return value, now.String() == sealed, err
	})
}
