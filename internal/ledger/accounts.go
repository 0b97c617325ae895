package ledger

import (
	"context"
	"fmt"
)

// A ledger has accounts of one size, which its first payer fixes: otherwise one account could stand in it twice, by its
// EVM address and by the account of 32 bytes that pays for it.

// checkAccounts returns ErrOtherAccounts unless the entries' accounts have the size of the ledger's.
func (b *Book) checkAccounts(ctx context.Context, entries []*Entry) error {
	b.sizing.Lock() // workers share a ledger
	defer b.sizing.Unlock()
	for _, e := range entries {
		if b.accountSize == 0 {
			size, err := b.AccountSize(ctx)
			if err != nil {
				return err
			}
			if b.accountSize = size; size == 0 {
				b.accountSize = e.accountSize
			}
		}
		if e.accountSize != b.accountSize {
			return fmt.Errorf("%w: %d bytes, and block %d has accounts of %d", ErrOtherAccounts, b.accountSize, e.Height(), e.accountSize)
		}
	}
	return nil
}

// AccountSize returns the number of bytes of the ledger's accounts, or 0 if no transaction shows it yet.
func (b *Book) AccountSize(ctx context.Context) (int, error) {
	some := func(s *stretch) bool { return s.sums.EVM+s.sums.Native > 0 }
	for t, err := range b.few(ctx, Query{Span: everyBlock}, some, func(t *Transaction) bool { return t.Payer.Known() }) {
		if err != nil {
			return 0, err
		}
		return or(t.Payer).Size(), nil
	}
	return 0, nil
}
