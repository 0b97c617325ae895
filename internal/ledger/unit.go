package ledger

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/feeledger/fees/internal/console"
)

// hasTable reports whether a table exists.
func hasTable(ctx context.Context, q querier, d *dialect, name string) (there bool, err error) {
	_, err = one(ctx, q, []any{&there}, d.hasTable(name))
	return there, err
}

// decimals returns the decimals of the ledger's token; 0 stands for 18, of which the ledger has no table book_unit.
func (b *Book) decimals(ctx context.Context, q querier) (decimals int, err error) {
	if there, err := hasTable(ctx, q, b.engine.dialect(), "book_unit"); err != nil || !there {
		return 0, err
	}
	found, err := one(ctx, q, []any{&decimals}, "SELECT decimals FROM book_unit")
	if err == nil && (!found || decimals < 1 || decimals > console.TokenDecimals) {
		err = damaged("table book_unit: a token has 1 to %d decimals, not %d", console.TokenDecimals, decimals)
	}
	return decimals, err
}

// setDecimals sets the decimals of a new ledger's token, and changes the views of amounts in the token.
func (b *Book) setDecimals(ctx context.Context, tx transaction, decimals int) error {
	if (console.Token{Decimals: decimals}).Places() == console.TokenDecimals {
		return nil
	}
	if err := tx.exec(ctx, "CREATE TABLE book_unit (decimals INTEGER NOT NULL)"); err != nil {
		return err
	}
	if err := tx.exec(ctx, "INSERT INTO book_unit (decimals) VALUES (?)", decimals); err != nil {
		return err
	}
	text, err := b.engine.dialect().render(migration1, decimals)
	if err != nil {
		return err
	}
	for _, view := range viewForm.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(view[0], "_token") {
			continue
		}
		for _, statement := range []string{"DROP VIEW " + view[1], view[0]} {
			if err := tx.exec(ctx, statement); err != nil {
				return fmt.Errorf("view %s: %w", view[1], err)
			}
		}
	}
	return nil
}

// viewForm matches the statements that create views.
var viewForm = regexp.MustCompile(`(?s)CREATE VIEW (\w+) AS [^;]*`)
