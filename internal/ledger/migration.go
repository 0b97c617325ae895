package ledger

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/1_book.sql
var migration1 string

// migrations are the SQL scripts by schema version, from 1.
var migrations = []string{migration1}

// dialect contains the SQL that differs between the engines.
type dialect struct {
	goose goose.Dialect
	// sql is SQL by name, with $1 and $2 for its arguments: types of columns, suffixes of tables, and expressions.
	sql      map[string]string
	coin     func(column string, places int) string // an amount of the smallest unit in the token, with that many decimals
	hasTable func(name string) string               // the query that reports whether a table exists
}

// The parts of a migration that render replaces: what only one kind of engine needs, text that is used several times, and
// SQL by name.
var (
	condition  = regexp.MustCompile(`(?s)\{\{if (not )?files\}\}(.*?)\{\{end\}\}`)
	definition = regexp.MustCompile(`(?s)\{\{define (\w+)\}\}(.*?)\{\{end\}\}`)
	macro      = regexp.MustCompile(`\{\{(\w+)((?: "[^"]*")*)\}\}`)
	argument   = regexp.MustCompile(`"([^"]*)"`)
)

// render renders a migration's SQL, with views of a token with that many decimals.
func (d *dialect) render(text string, places int) (string, error) {
	text = condition.ReplaceAllStringFunc(text, func(all string) string {
		part := condition.FindStringSubmatch(all)
		if (part[1] == "") == (d.sql["files"] != "") {
			return part[2]
		}
		return ""
	})
	defined := map[string]string{"columns": sumColumns(), "sums": d.shownSums(places), "words": usualWords()}
	text = definition.ReplaceAllStringFunc(text, func(all string) string {
		part := definition.FindStringSubmatch(all)
		defined[part[1]] = part[2]
		return ""
	})
	for range 2 { // what is defined contains names of SQL
		text = macro.ReplaceAllStringFunc(text, func(all string) string {
			part := macro.FindStringSubmatch(all)
			arguments := argument.FindAllStringSubmatch(part[2], -1)
			if own, ok := defined[part[1]]; ok {
				return own
			}
			sql, ok := d.sql[part[1]]
			if part[1] == "coin" {
				return d.coin(arguments[0][1], places)
			}
			if !ok {
				return all
			}
			for i, argument := range arguments {
				sql = strings.ReplaceAll(sql, fmt.Sprint("$", i+1), argument[1])
			}
			return sql
		})
	}
	if left := macro.FindString(text); left != "" {
		return "", fmt.Errorf("%s in a migration has no meaning", left)
	}
	return text, nil
}

// sumColumns returns the columns of a day's sums.
func sumColumns() string {
	var list strings.Builder
	for _, name := range sumNames(integer) {
		list.WriteString(name + " {{integer}} NOT NULL,\n    ")
	}
	for _, name := range sumNames(amount) {
		list.WriteString(name + " {{amount}} NOT NULL,\n    ")
	}
	return list.String()
}

// shownSums returns the columns of a view of sums: the blocks first, and amounts in both units.
func (d *dialect) shownSums(places int) string {
	list := strings.Builder{}
	list.WriteString("blocks")
	for _, name := range sumNames(integer) {
		if name != "blocks" {
			list.WriteString(", " + name)
		}
	}
	for _, name := range sumNames(amount) {
		fmt.Fprintf(&list, ",\n    {{wei \"%[1]s\"}} AS %[1]s, %[2]s AS %[1]s_token", name, d.coin(name, places))
	}
	return list.String()
}

// usualWords returns the rows of the words that the program knows, with their numbers.
func usualWords() string {
	rows := make([]string, len(usualTexts))
	for i, word := range usualTexts {
		rows[i] = fmt.Sprintf("(%d, '%s')", i, word)
	}
	return strings.Join(rows, ", ")
}

// sumNames returns the names of the sums with a column type.
func sumNames(of kind) (list []string) {
	for _, f := range partSums {
		if kindOf(f.at(new(Sums))) == of {
			list = append(list, f.name)
		}
	}
	return list
}

// ErrNewer reports that a newer program wrote the ledger.
var ErrNewer = errors.New("the ledger was written by a newer version of fees; update this one")

// ErrOlder reports that an older program wrote the ledger. Opening it with OpenWriter migrates it.
var ErrOlder = errors.New("the ledger was written by an older version of fees")

// migrate upgrades a ledger to the newest schema version.
func migrate(ctx context.Context, db *sql.DB, d *dialect) error {
	version, err := schemaVersion(ctx, db, d)
	if err != nil {
		return err
	}
	var list []*goose.Migration
	for i, text := range migrations {
		text, err := d.render(text, usualDecimals)
		if err != nil {
			return err
		}
		list = append(list, goose.NewGoMigration(int64(i+1), &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, text)
			return err
		}}, nil))
	}
	p, err := goose.NewProvider(d.goose, db, nil, goose.WithGoMigrations(list...), goose.WithDisableGlobalRegistry(true), goose.WithTableName(versionTable))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	if hasCode(err, sqlite3.SQLITE_ERROR) { // a column already exists, or a table does not
		return fmt.Errorf("%w: its tables do not match schema version %d: %w", ErrDamaged, version, err)
	}
	return err
}

const versionTable = "book_layout"

// checkSchema returns ErrNone if a database contains no ledger, and ErrNewer or ErrOlder if its schema
// version is not this program's.
func checkSchema(ctx context.Context, db *sql.DB, d *dialect) error {
	version, err := schemaVersion(ctx, db, d)
	if err == nil && version == 0 {
		err = fmt.Errorf("%w in this database", ErrNone)
	}
	if err == nil && version < len(migrations) {
		var begun bool
		if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT * FROM book)").Scan(&begun); err != nil {
			return err
		}
		if !begun { // its creation was interrupted
			return fmt.Errorf("%w in this database: it is empty", ErrNone)
		}
		err = fmt.Errorf("%w (schema version %d, this program's is %d)", ErrOlder, version, len(migrations))
	}
	return err
}

// schemaVersion returns the schema version of a database; 0 without a ledger, or if its creation was interrupted.
// It returns ErrNewer if this program does not know the version.
func schemaVersion(ctx context.Context, db *sql.DB, d *dialect) (version int, err error) {
	var there bool
	if err := db.QueryRowContext(ctx, d.hasTable(versionTable)).Scan(&there); err != nil || !there {
		return 0, err
	}
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM "+versionTable).Scan(&version); err != nil {
		return 0, err
	}
	if version > len(migrations) {
		return 0, fmt.Errorf("%w (schema version %d, this program supports %d)", ErrNewer, version, len(migrations))
	}
	return version, nil
}

// unitFields are the fields that the digest of the table book's row covers if the token has other than 18 decimals. They
// are in the table book_unit.
var unitFields = append(slices.Clip(bookFields), field[bookRow]{"decimals", fact, func(b *bookRow) any { return &b.Decimals }})

// usualDecimals are those of a token whose ledger does not state them.
const usualDecimals = 18

// decimalsOf returns the number of a token's decimals. 0 stands for 18.
func decimalsOf(stated int) int { return cmp.Or(stated, usualDecimals) }

// hasOtherDecimals reports whether a token has other than 18 decimals.
func hasOtherDecimals(decimals int) bool {
	return decimalsOf(decimals) != usualDecimals
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
	if err == nil && (!found || decimals < 1 || decimals > usualDecimals) {
		err = damaged("table book_unit: a token has 1 to %d decimals, not %d", usualDecimals, decimals)
	}
	return decimals, err
}

// setDecimals sets the decimals of a new ledger's token, and changes the views of amounts in the token.
func setDecimals(ctx context.Context, q querier, decimals int) error {
	if !hasOtherDecimals(decimals) {
		return nil
	}
	if err := execAll(ctx, q, "CREATE TABLE book_unit (decimals INTEGER NOT NULL)", fmt.Sprintf("INSERT INTO book_unit (decimals) VALUES (%d)", decimals)); err != nil {
		return err
	}
	text, err := q.dialect().render(migration1, decimals)
	if err != nil {
		return err
	}
	for _, view := range viewForm.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(view[0], "_token") {
			continue
		}
		if err := execAll(ctx, q, "DROP VIEW "+view[1], view[0]); err != nil {
			return fmt.Errorf("view %s: %w", view[1], err)
		}
	}
	return nil
}

// viewForm matches the statements that create views.
var viewForm = regexp.MustCompile(`(?s)CREATE VIEW (\w+) AS [^;]*`)
