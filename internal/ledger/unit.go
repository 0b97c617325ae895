package ledger

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/console"
)

// unitFields are the fields that the digest of the table book's row covers if the token has other than 18 decimals. They
// are in the table book_unit.
var unitFields = append(slices.Clip(bookFields), field[bookRow]{"decimals", fact, func(b *bookRow) any { return &b.Decimals }})

// hasOtherDecimals reports whether a token has other than 18 decimals. 0 stands for 18.
func hasOtherDecimals(decimals int) bool {
	return (console.Token{Decimals: decimals}).Places() != console.TokenDecimals
}

// digest returns the row's digest.
func (c *bookRow) digest() Digest {
	if hasOtherDecimals(c.Decimals) {
		return digestOf(unitFields, c)
	}
	return digestOf(bookFields, c)
}

// readDecimals reads the token's decimals from table book_unit. It returns 0, which stands for 18, without that table.
func readDecimals(ctx context.Context, q querier) (decimals int, err error) {
	there := false
	if _, err := one(ctx, q, []any{&there}, q.dialect().hasTable("book_unit")); err != nil || !there {
		return 0, err
	}
	found, err := one(ctx, q, []any{&decimals}, "SELECT decimals FROM book_unit")
	if err == nil && (!found || decimals < 1 || decimals > console.TokenDecimals) {
		err = damaged("table book_unit: a token has 1 to %d decimals, not %d", console.TokenDecimals, decimals)
	}
	return decimals, err
}

// setDecimals sets the decimals of a new ledger's token, and changes the views of amounts in the token.
func setDecimals(ctx context.Context, tx transaction, decimals int) error {
	if !hasOtherDecimals(decimals) {
		return nil
	}
	if err := execAll(ctx, tx, "CREATE TABLE book_unit (decimals INTEGER NOT NULL)", fmt.Sprintf("INSERT INTO book_unit (decimals) VALUES (%d)", decimals)); err != nil {
		return err
	}
	text, err := tx.dialect().render(migration1, decimals)
	if err != nil {
		return err
	}
	for _, view := range viewForm.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(view[0], "_token") {
			continue
		}
		if err := execAll(ctx, tx, "DROP VIEW "+view[1], view[0]); err != nil {
			return fmt.Errorf("view %s: %w", view[1], err)
		}
	}
	return nil
}

// viewForm matches the statements that create views.
var viewForm = regexp.MustCompile(`(?s)CREATE VIEW (\w+) AS [^;]*`)
