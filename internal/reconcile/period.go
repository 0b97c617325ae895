package reconcile

import (
	"context"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
)

// ErrNotCovered says that the ledger lacks blocks of the period.
var ErrNotCovered = failure.New(failure.NotCovered, "the ledger does not cover the period")

// covered is a period with what the ledger has of it.
type covered struct {
	ledger.Period
	ledger.Cover
}

// cover finds the period in the ledger, all that is sealed where none is named. It is
// ErrNotCovered where a part is missing, but for partial.
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
		return c, fmt.Errorf("%w: it lacks %s", ErrNotCovered, c.lacks())
	}
	return c, nil
}

func (c *covered) lacks() string { return strings.Join(c.Lacks, "; ") }

// notes say what of the period is not there.
func (c *covered) notes() []string {
	if len(c.Lacks) == 0 {
		return nil
	}
	return []string{"PARTIAL: the ledger does not cover the period: it lacks " + c.lacks() + "."}
}

// reaches tells whether a height is among the blocks that are compared.
func (c *covered) reaches(height uint64) bool {
	span, some := c.Span.Get()
	return some && height >= span.First && height <= span.Last
}

// contains tells whether a transaction is of the period.
func (c *covered) contains(t *ledger.Transaction) bool {
	return c.reaches(t.Height) && c.Has(t.Height, t.Time)
}

// or is what is known, or else something in its place.
func or[T any](o chain.Optional[T], otherwise T) T {
	if v, ok := o.Get(); ok {
		return v
	}
	return otherwise
}
