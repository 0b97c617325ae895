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
	read     *rows     // the first rows, or all
}

// firstRows is the number of rows that are cached of every list. All rows of a longer one are read for a page of the others, or
// for one in another order.
var firstRows = 1000

// keptListOf is keptOf for a page of a list. The function build gets the number of rows that suffice, 0 for all.
func (s *server) keptListOf(r *http.Request, about app.Period, sealed, address string, readsMuch bool, l listing, build func(ctx context.Context, most int) (*keptList, error)) (*keptList, error) {
	get := func(kept *once[*keptList], most int) (*keptList, error) {
		return keptOf(s, r, about, kept, sealed, address, readsMuch, func(ctx context.Context) (*keptList, error) {
			k, err := build(ctx, most)
			if err == nil {
				err = k.readRows(cmp.Or(most, maxAfter))
			}
			return k, err
		})
	}
	if l.After+l.rows() <= firstRows {
		k, err := get(s.lists, firstRows)
		if err != nil || l.Sort == "" || l.Sort == k.order || k.read.count <= firstRows {
			return k, err
		}
	}
	return get(s.wholeLists, 0)
}

// readRows reads the first rows, and what is known of all.
func (k *keptList) readRows(most int) (err error) {
	if k.read, err = readRows(k.sheet, listing{limit: most}, nil); err != nil {
		return err
	}
	k.sheet.Rows = nil // the cells refer to the sheet
	k.read.count += k.unlisted.Groups
	for i, c := range k.read.columns {
		k.read.used[i] = k.read.used[i] || c.Name == "label" && k.unlisted.Labelled || c.Name == "group" && k.unlisted.Grouped
	}
	k.read.charged = k.read.charged && !k.unlisted.OtherThanCharged
	return nil
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
