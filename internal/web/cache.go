package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

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

// keptList is a cached page with a list: the page around it, and the values of all rows or of some.
type keptList struct {
	page    listPage
	sheet   func() *table.Sheet // the list, any number of times
	count   int                 // of its rows
	none    bool                // no row of a page of fees is worth listing
	largest chain.Wei           // the largest fee, which scales the drawn shares

	seen     atomic.Pointer[rows] // what is known of all rows, without those of a page; nil until they were read
	window   report.Window        // the groups in the sheet; the zero value means all
	unlisted report.Unlisted      // the other groups
}

// keptRows is the number of rows that are cached around a page of a list of which only some groups are made.
var keptRows = 1000

// windowOf returns the window of the groups on a page.
func windowOf(l listing) report.Window {
	step := keptRows - l.rows() // windows overlap, so that each page is in one
	return report.Window{After: l.After / step * step, Count: keptRows}
}

// rows returns the rows of a page. All rows of the sheet are read for the first page, and for each sorted one.
func (k *keptList) rows(l listing) (*rows, error) {
	l.After -= k.window.After
	if seen := k.seen.Load(); seen != nil && l.Sort == "" {
		page, read := *seen, 0
		_, err := k.sheet().Each(func(row []table.Cell) error {
			if read++; read > l.After {
				page.page = append(page.page, slices.Clone(row))
			}
			if len(page.page) == l.rows() {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			err = nil
		}
		return &page, err
	}
	r, err := readRows(k.sheet(), l, nil)
	if err != nil {
		return nil, err
	}
	k.addUnlisted(r)
	seen := *r
	seen.page = nil
	k.seen.Store(&seen)
	return r, nil
}

// addUnlisted adds what is known of the groups that the sheet does not contain.
func (k *keptList) addUnlisted(r *rows) {
	if k.unlisted.Groups == 0 {
		return
	}
	r.count += k.unlisted.Groups
	r.charged = r.charged && !k.unlisted.OtherThanCharged
	for i, c := range r.columns {
		named := c.Name == "label" && k.unlisted.Labelled || c.Name == "group" && k.unlisted.Grouped
		r.used[i] = r.used[i] || named || r.totals != nil && r.totals[i].IsUsed()
	}
}

// rowBytes is the size of the values of a row.
const rowBytes = 1 << 10

func sizeOfList(l *keptList) int { return l.count*rowBytes + 8<<10 }

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
