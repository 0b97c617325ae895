package ledger

import (
	"context"
	"fmt"
	"os"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
)

// ErrReplaced reports that a ledger does not end where its only writer left it, as after a backup was restored. What the
// writer remembers of it is then wrong: the next block would leave a gap.
var ErrReplaced = failure.New(failure.Busy, "the ledger was restored or altered while this program was writing it")

// Ending is how a ledger ends.
type Ending struct {
	book string                  // the digest of the row of the table book
	last chain.Optional[highest] // unknown without blocks
}

// highest is the highest stored block.
type highest struct {
	height int64
	sum    string
}

func endingOf(ctx context.Context, q querier) (e Ending, err error) {
	var book, sum []byte
	var height int64
	if _, err := one(ctx, q, []any{&book}, "SELECT digest FROM book"); err != nil {
		return e, err
	}
	found, err := one(ctx, q, []any{&height, &sum}, "SELECT height, sum FROM blocks WHERE height = (SELECT max(height) FROM blocks)")
	if e.book = string(book); found {
		e.last = chain.Some(highest{height, string(sum)})
	}
	return e, err
}

// String returns where a ledger ends, for people.
func (e Ending) String() string {
	if last, some := e.last.Get(); some {
		return fmt.Sprintf("block %d", last.height)
	}
	return "no block"
}

// checkEnding returns ErrReplaced unless the ledger ends where this writer left it.
func (b *Book) checkEnding(ctx context.Context, q querier) error {
	if e, file := b.engine.(*sqliteEngine); file && !e.inPlace() {
		return fmt.Errorf("%w: its file is another one", ErrReplaced)
	}
	left, known := b.left.Get()
	if !known {
		return nil
	}
	switch found, err := endingOf(ctx, q); {
	case err != nil:
		return err
	case found.last != left.last:
		return fmt.Errorf("%w: it ended at %v and now ends at %v", ErrReplaced, left, found)
	case found.book != left.book:
		return fmt.Errorf("%w: it still ends at %v, but its seal is another", ErrReplaced, found)
	}
	return nil
}

// Left returns how this writer's last change left the ledger; unknown before its first.
func (b *Book) Left() chain.Optional[Ending] { return b.left }

// CheckContains returns ErrReplaced unless the ledger contains the last block of an ending. Another writer may have added
// others.
func (b *Book) CheckContains(ctx context.Context, e Ending) error {
	last, some := e.last.Get()
	if !some {
		return nil
	}
	var sum []byte
	switch found, err := one(ctx, b.engine, []any{&sum}, "SELECT sum FROM blocks WHERE height = ?", last.height); {
	case err != nil:
		return b.wrapLost(err)
	case !found || string(sum) != last.sum:
		return fmt.Errorf("%w: block %d is no longer there as this program stored it", ErrReplaced, last.height)
	}
	return nil
}

// inPlace reports whether the opened file is still the one at its path.
func (e *sqliteEngine) inPlace() bool {
	now, err := os.Stat(e.path)
	return err == nil && os.SameFile(e.opened, now)
}
