package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/feeledger/fees/internal/app"
)

// How many bytes of answers are kept in memory, and how many of one: a longer one is made again.
const (
	mostInCache = 64 << 20
	mostOfOne   = 2 << 20
)

// kept is an answer that was made.
type kept struct {
	contentType string
	name        string // of the file, where it is one
	body        []byte
}

func sizeOfAnswer(k kept) int { return len(k.body) }

// keptList is a page with a list: what stands around the list, and all of its rows. A page whose table
// is small has that in its view, and no rows.
type keptList struct {
	view view
	rows *rows
	most float64 // the greatest of the figures that are drawn beside each other
}

func sizeOfList(l *keptList) int { return l.rows.size + 8<<10 }

// How many bytes of lists are kept in memory: they are packed. And how many summaries of accounts.
const (
	mostOfLists     = 96 << 20
	mostOfSummaries = 1000
)

// mostOfStates is of how many periods that are over it is kept what the ledger has of them.
const mostOfStates = 1000

// stateOf is [app.Desk.StateOf]. Where a period is over, it is found once: days of other zones begin within
// days of the ledger, whose blocks are looked through.
func (s *server) stateOf(ctx context.Context, about app.Period) (app.State, error) {
	whole, err := s.Desk.State(ctx)
	span, some := whole.Span.Get()
	if err != nil || !some || about.All {
		return whole, err
	}
	key := fmt.Sprintf("%s\n%s\n%d\n%v", s.base, s.stamp(), span.First, about.Asked)
	if of, found := s.states.find(key); found {
		return of, nil
	}
	of, err := s.Desk.StateOf(ctx, about)
	if err == nil && of.Span != whole.Span {
		s.states.add(key, of)
	}
	return of, err
}

// keptOf is what an address has at a state of the ledger: what is kept of it, or what make makes, for
// all who ask at the same time. What reads much has places of its own.
func keptOf[T any](s *server, r *http.Request, about app.Period, kept *once[T], sealed, address string, readsMuch bool, make func(context.Context) (T, error)) (T, error) {
	if readsMuch {
		stepAside(r)
	}
	return kept.get(r.Context(), s.Time, strings.Join([]string{s.base, s.stamp(), sealed, address}, "\n"), func(ctx context.Context) (value T, keep bool, err error) {
		if readsMuch {
			leave, err := turn(ctx, s.longWaiting, s.long)
			if err != nil {
				return value, false, err
			}
			defer leave()
		}
		if value, err = make(ctx); err != nil {
			return value, false, err
		}
		now, err := s.stateOf(ctx, about)
		return value, now.String() == sealed, err
	})
}
