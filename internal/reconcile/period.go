package reconcile

import (
	"context"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
)

// ErrNotCovered reports that the ledger lacks blocks of the period.
var ErrNotCovered = failure.New(failure.NotCovered, "the ledger does not cover the period")

// covered is a period and how much of it the ledger contains.
type covered struct {
	ledger.Period
	ledger.Cover
}

// cover finds the requested period in the ledger, or everything sealed. It returns ErrNotCovered if a part is missing
// and Options.Partial is not set.
func cover(ctx context.Context, book Book, o *Options) (c covered, err error) {
	var named bool
	if c.Period, named = o.Period.Get(); !named {
		if c.Period, err = book.Sealed(ctx); err != nil {
			return c, err
		}
	}
	if c.Cover, err = book.Cover(ctx, c.Period); err != nil {
		return c, err
	}
	if len(c.Lacks) > 0 && !o.Partial {
		return c, fmt.Errorf("%w; it lacks %s", ErrNotCovered, c.lacks())
	}
	return c, nil
}

func (c *covered) lacks() string { return strings.Join(c.Lacks, "; ") }

// notes describe what is missing of the period.
func (c *covered) notes() []string {
	if len(c.Lacks) == 0 {
		return nil
	}
	return []string{"Known part: the ledger does not cover the period; it lacks " + c.lacks() + "."}
}

// reaches reports whether a height is among the compared blocks.
func (c *covered) reaches(height uint64) bool {
	span, some := c.Span.Get()
	return some && height >= span.First && height <= span.Last
}

// contains reports whether a transaction is in the period.
func (c *covered) contains(t *ledger.Transaction) bool {
	return c.reaches(t.Height) && c.Has(t.Height, t.Time)
}

// or returns the value if it is known, otherwise the alternative.
func or[T any](o chain.Optional[T], otherwise T) T {
	if v, ok := o.Get(); ok {
		return v
	}
	return otherwise
}
