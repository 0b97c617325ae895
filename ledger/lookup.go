package ledger

import "context"

// lookup is an index for those who ask by account or hash. Its keys come in no
// order, which makes it dear while many blocks are stored: then it is dropped, and
// made again of all rows at once.
type lookup struct{ name, table, columns string }

var lookups = []lookup{
	{"transactions_by_payer", "transactions", "payer, height"},
	{"transactions_by_hash", "transactions", "hash"},
	{"transactions_by_evm_hash", "transactions", "evm_hash"},
	{"movements_by_account", "movements", "account, height"},
	{"transfers_by_sender", "transfers", "sender, height"},
	{"transfers_by_recipient", "transfers", "recipient, height"},
}

// DropLookups takes the look-ups away before many blocks are stored. Questions by
// account and hash are answered without them, slowly.
func (b *Book) DropLookups(ctx context.Context) error {
	for _, l := range lookups {
		if err := b.engine.exec(ctx, "DROP INDEX IF EXISTS "+l.name); err != nil {
			return err
		}
	}
	return nil
}

// BuildLookups makes the look-ups that are not there. Each is told before one is
// made. Several programs may do it at once.
func (b *Book) BuildLookups(ctx context.Context, each func(name string)) error {
	there, err := indexesThere(ctx, b.engine, b.engine.sql())
	if err != nil {
		return err
	}
	for _, l := range lookups {
		if there[l.name] {
			continue
		}
		each(l.name)
		err := b.change(ctx, func(tx transaction) error {
			if t, ok := tx.(*postgresTransaction); ok {
				if err := t.lock(ctx, lockLayout); err != nil {
					return err
				}
			}
			return tx.exec(ctx, "CREATE INDEX IF NOT EXISTS "+l.name+" ON "+l.table+" ("+l.columns+")")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *Book) haveLookups(ctx context.Context, q querier) (bool, error) {
	there, err := indexesThere(ctx, q, b.engine.sql())
	for _, l := range lookups {
		if !there[l.name] {
			return false, err
		}
	}
	return true, err
}

// indexesThere are the names of the indexes that there are.
func indexesThere(ctx context.Context, q querier, d *dialect) (map[string]bool, error) {
	there := map[string]bool{}
	columns := []column{{"name", text, state}}
	err := list(ctx, q, columns, func(r row) error {
		c := cells{row: r, columns: columns}
		there[c.text()] = true
		return c.err
	}, d.indexes)
	return there, err
}
