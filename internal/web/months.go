package web

import (
	"context"
	"fmt"
	"strings"
	"time"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/markup"
)

// month is a month of the ledger in the period picker.
type month struct {
	Name    string // 2026-01
	State   string // complete, partial or closed
	Partial bool
	Here    bool
	To      string
}

// short returns the month's name.
func (m month) short() string {
	at, err := time.Parse("2006-01", m.Name)
	if err != nil {
		return m.Name
	}
	return at.Format("Jan")
}

// sign returns the sign of the month's state.
func (m month) sign() string { return map[string]string{"complete": "✓", "closed": "■"}[m.State] }

// year is a year of the ledger with its months.
type year struct {
	Name, To string
	Months   []month
}

func (y year) node() g.Node {
	return markup.El("p", markup.Attr("class", "year"), link{y.Name, y.To}.node(), g.Map(y.Months, month.node))
}

func (m month) node() g.Node {
	return markup.El("a", href(m.To), markup.Attr("class", m.State), current(m.Here), markup.Text(m.short()+" "), markup.El("small", markup.Text(strings.TrimSpace(m.sign()+" "+m.State))))
}

// maxMonths limits the months of the picker, to the last ten years.
const maxMonths = 120

// months returns the same as [server.allMonths]. Whatever cannot be read is left out: the pages report it.
func (s *server) months(ctx context.Context) []month {
	list, _ := s.allMonths(ctx)
	return list
}

// allMonths returns the months that the ledger has sealed blocks of, in UTC.
func (s *server) allMonths(ctx context.Context) ([]month, error) {
	if s.Ledger == nil {
		return nil, nil
	}
	state, err := s.Ledger.State(ctx)
	if err != nil || !state.Span.Known() {
		return nil, err
	}
	list, err := s.monthLists.get(ctx, s.Time, strings.Join([]string{s.base, state.String()}, "\n"), func(ctx context.Context) ([]month, bool, error) {
		list, err := s.readMonths(ctx, state)
		return list, err == nil, err
	})
	if err != nil {
		return nil, err
	}
	return s.withClosed(ctx, list), nil
}

// readMonths lists the months from the first sealed block to the last. Sealed blocks have no gaps, so only the months at
// both ends can be incomplete.
func (s *server) readMonths(ctx context.Context, state app.State) (list []month, err error) {
	span, _ := state.Span.Get()
	first, err := s.monthOf(ctx, span.First)
	if err != nil {
		return nil, err
	}
	last, err := s.monthOf(ctx, span.Last)
	if err != nil || first.IsZero() || last.IsZero() {
		return nil, err
	}
	if first.After(last) { // the first blocks of a development chain can have a later time
		first = last
	}
	if least := last.AddDate(0, 1-maxMonths, 0); first.Before(least) {
		first = least
	}
	for at := first; !at.After(last); at = at.AddDate(0, 1, 0) {
		m := month{Name: at.Format("2006-01"), State: "complete"}
		if at.Equal(first) || at.Equal(last) {
			p, err := app.Month(at.Year(), at.Month())
			if err != nil {
				return nil, err
			}
			cover, err := s.Ledger.Book.Cover(ctx, p.Asked)
			if err != nil {
				return nil, err
			}
			if m.Partial = len(cover.Lacks) > 0; m.Partial {
				m.State = "partial"
			}
		}
		list = append(list, m)
	}
	return list, nil
}

// monthOf returns the beginning of a block's month, or zero if its time is unknown. The first block of a chain has
// none: the next one counts.
func (s *server) monthOf(ctx context.Context, height uint64) (none time.Time, err error) {
	for _, h := range []uint64{height, height + 1} {
		b, err := s.Ledger.Block(ctx, h)
		if err != nil {
			return none, err
		}
		if at, known := b.Time.Get(); known {
			t := at.Std().UTC()
			return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC), nil
		}
	}
	return none, nil
}

// withClosed marks the months that have a close package.
func (s *server) withClosed(ctx context.Context, list []month) []month {
	if s.Packages == "" {
		return list
	}
	packages, _, err := s.listPackages(ctx)
	if err != nil {
		return list
	}
	closed := map[string]bool{}
	for _, p := range packages {
		if p.summary != nil && p.Period.Complete {
			closed[p.Period.Name()] = true
		}
	}
	marked := append([]month{}, list...)
	for i := range marked {
		if closed[marked[i].Name] {
			marked[i].State = "closed"
		}
	}
	return marked
}

// monthsText identifies the list for an ETag.
func (s *server) monthsText(ctx context.Context) string { return fmt.Sprint(s.months(ctx)) }
