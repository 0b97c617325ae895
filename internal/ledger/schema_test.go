package ledger

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/postgrestest"
)

// alterations change the schema in either engine; the key is what they do.
var alterations = map[string]string{
	"no table":                            "DROP VIEW book_trail; DROP TABLE trail",
	"no table for SQL":                    "DROP TABLE rejudgements",
	"a table of others":                   "CREATE TABLE others (a INTEGER PRIMARY KEY, b TEXT NOT NULL)",
	"a view of others":                    "CREATE VIEW book_others AS SELECT number FROM trail",
	"another table":                       "DROP TABLE rejudgements; CREATE TABLE rejudgements (height INTEGER)",
	"a view in place of a table":          "ALTER TABLE proved RENAME TO kept; CREATE VIEW proved AS SELECT * FROM kept",
	"a view that hides rows":              "DROP VIEW book_trail; ALTER TABLE trail RENAME TO kept; CREATE VIEW trail AS SELECT * FROM kept WHERE act <> 'returned'",
	"a renamed table":                     "ALTER TABLE parts RENAME TO kept",
	"a table in place of a view":          "DROP VIEW book_seals; CREATE TABLE book_seals (unit TEXT, name TEXT)",
	"no view":                             "DROP VIEW book_months",
	"a view without rows":                 "DROP VIEW book_proved; CREATE VIEW book_proved AS SELECT * FROM proved WHERE 1 = 0",
	"a view of other sums":                "DROP VIEW book_days; CREATE VIEW book_days AS SELECT number AS day, fee FROM stretches WHERE unit = 'day' AND number > 0",
	"a view of another table":             "DROP VIEW book_seals; CREATE VIEW book_seals AS SELECT * FROM parts",
	"a new column":                        "ALTER TABLE trail ADD COLUMN more TEXT",
	"a new column with a default":         "ALTER TABLE stretches ADD COLUMN more INTEGER NOT NULL DEFAULT 7",
	"a renamed column":                    "ALTER TABLE parts RENAME COLUMN body TO bodies",
	"no column":                           "ALTER TABLE rejudgements DROP COLUMN after",
	"no index":                            "DROP INDEX blocks_flagged",
	"an index of all rows":                "DROP INDEX blocks_flagged; CREATE INDEX blocks_flagged ON blocks (height)",
	"an index of other rows":              "DROP INDEX blocks_flagged; CREATE INDEX blocks_flagged ON blocks (height) WHERE flags > 1",
	"an index of another column":          "DROP INDEX blocks_flagged; CREATE INDEX blocks_flagged ON blocks (height, time_ms) WHERE flags <> 0",
	"another index":                       "CREATE INDEX more ON trail (actor)",
	"a unique index":                      "CREATE UNIQUE INDEX more ON trail (period, act)",
	"a unique index of some rows":         "CREATE UNIQUE INDEX more ON trail (actor) WHERE act = 'approved'",
	"an index of an expression":           "CREATE INDEX more ON proved ((last - first))",
	"an index of a table for SQL":         "CREATE INDEX more ON rejudgements (program)",
	"another kind of the version's table": "DROP TABLE book_layout; CREATE VIEW book_layout AS SELECT 1 AS id, 1 AS version_id",
}

var fileAlterations = map[string]string{
	"a trigger that undoes":              "CREATE TRIGGER t AFTER INSERT ON trail BEGIN DELETE FROM trail WHERE number = NEW.number; END",
	"a trigger that ignores":             "CREATE TRIGGER t BEFORE INSERT ON trail BEGIN SELECT RAISE(IGNORE); END",
	"a trigger on updates":               "CREATE TRIGGER t BEFORE UPDATE ON stretches BEGIN SELECT RAISE(IGNORE); END",
	"a trigger on deletes":               "CREATE TRIGGER t BEFORE DELETE ON proved BEGIN SELECT RAISE(IGNORE); END",
	"a trigger in capitals":              "CREATE TRIGGER T AFTER INSERT ON BLOCKS BEGIN UPDATE blocks SET flags = 0; END",
	"a trigger on a table for SQL":       "CREATE TRIGGER t AFTER INSERT ON transactions BEGIN UPDATE transactions SET fee = 0 WHERE id = NEW.id; END",
	"a trigger on a view":                "CREATE TRIGGER t INSTEAD OF INSERT ON book_trail BEGIN DELETE FROM trail; END",
	"a trigger on a table of others":     "CREATE TABLE others (a); CREATE TRIGGER t AFTER INSERT ON others BEGIN DELETE FROM trail; END",
	"a trigger on the version's table":   "CREATE TRIGGER t AFTER INSERT ON book_layout BEGIN DELETE FROM trail; END",
	"words by other numbers":             "DROP TABLE words; CREATE TABLE words (number INTEGER PRIMARY KEY, word TEXT)",
	"a definition that was written over": "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, 'CHECK (one = 1)', '') WHERE name = 'book'",
	"a view that was written over":       "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, 'flags % 2 = 0', '1') WHERE name = 'book_transactions'",
	"a virtual table":                    "DROP TABLE rejudgements; CREATE VIRTUAL TABLE rejudgements USING fts5(height)",
}

// redefinitions replace a text in a table's definition of a file.
var redefinitions = []struct{ what, table, old, new string }{
	{"no primary key", "words", " PRIMARY KEY", ""},
	{"no key of two columns", "stretches", "PRIMARY KEY (unit, number)\n) STRICT, WITHOUT ROWID", "CHECK (1)\n) STRICT"},
	{"another key", "stretches", "PRIMARY KEY (unit, number)", "PRIMARY KEY (unit, number, first)"},
	{"a unique column in place of a key", "words", "PRIMARY KEY", "UNIQUE"},
	{"rows with row numbers", "trail", ", WITHOUT ROWID", ""},
	{"columns of any type", "trail", " STRICT,", ""},
	{"a column that may be null", "trail", "comment   TEXT NOT NULL", "comment   TEXT"},
	{"a column of another type", "parts", "body    BLOB", "body    TEXT"},
	{"a default", "trail", "comment   TEXT NOT NULL", "comment   TEXT NOT NULL DEFAULT 'agreed'"},
	{"no check", "book", " CHECK (one = 1)", ""},
	{"a weaker check", "blocks", "CHECK (height >= 0)", "CHECK (height > -10)"},
	{"a stronger check", "trail", "act       TEXT NOT NULL", "act       TEXT NOT NULL CHECK (act <> 'returned')"},
	{"another collation", "trail", "actor     TEXT NOT NULL", "actor     TEXT NOT NULL COLLATE NOCASE"},
	{"a computed column", "trail", "zone      TEXT NOT NULL", "zone      TEXT NOT NULL GENERATED ALWAYS AS ('UTC') STORED"},
	{"a reference", "proved", "first           INTEGER NOT NULL", "first           INTEGER NOT NULL REFERENCES blocks (height)"},
	{"a unique column", "trail", "actor     TEXT NOT NULL", "actor     TEXT NOT NULL UNIQUE"},
	{"columns in another order", "parts", "unit    TEXT NOT NULL,\n    number  INTEGER NOT NULL,", "number  INTEGER NOT NULL,\n    unit    TEXT NOT NULL,"},
	{"a conflict that replaces", "trail", "PRIMARY KEY", "PRIMARY KEY ON CONFLICT REPLACE"},
	{"a conflict that ignores", "trail", "PRIMARY KEY", "PRIMARY KEY ON CONFLICT IGNORE"},
}

const makeFunction = "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "

var serverAlterations = map[string]string{
	"a rule that does nothing":              "CREATE RULE r AS ON INSERT TO trail DO INSTEAD NOTHING",
	"a rule on updates":                     "CREATE RULE r AS ON UPDATE TO stretches DO INSTEAD NOTHING",
	"a rule on deletes":                     "CREATE RULE r AS ON DELETE TO proved DO INSTEAD NOTHING",
	"a rule that does more":                 "CREATE RULE r AS ON INSERT TO rejudgements DO ALSO DELETE FROM rejudgements WHERE height = 1",
	"a rule on a partitioned table":         "CREATE RULE r AS ON INSERT TO blocks DO INSTEAD NOTHING",
	"a rule on a partition":                 "CREATE RULE r AS ON UPDATE TO blocks_0 DO INSTEAD NOTHING",
	"a rule on a view":                      "CREATE RULE r AS ON INSERT TO book_trail DO INSTEAD NOTHING",
	"a rule that is off":                    "CREATE RULE r AS ON INSERT TO trail DO INSTEAD NOTHING; ALTER TABLE trail DISABLE RULE r",
	"a trigger that ignores":                makeFunction + "CREATE TRIGGER t BEFORE INSERT ON trail FOR EACH ROW EXECUTE FUNCTION nothing()",
	"a trigger on a partitioned table":      makeFunction + "CREATE TRIGGER t BEFORE UPDATE ON blocks FOR EACH ROW EXECUTE FUNCTION nothing()",
	"a trigger on a partition":              makeFunction + "CREATE TRIGGER t BEFORE INSERT ON transactions_0 FOR EACH ROW EXECUTE FUNCTION nothing()",
	"a trigger at the end of a transaction": makeFunction + "CREATE CONSTRAINT TRIGGER t AFTER INSERT ON trail DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION nothing()",
	"a trigger on statements":               makeFunction + "CREATE TRIGGER t AFTER TRUNCATE ON proved FOR EACH STATEMENT EXECUTE FUNCTION nothing()",
	"a trigger on a view":                   makeFunction + "CREATE TRIGGER t INSTEAD OF INSERT ON book_trail FOR EACH ROW EXECUTE FUNCTION nothing()",
	"a trigger that is off":                 makeFunction + "CREATE TRIGGER t BEFORE INSERT ON trail FOR EACH ROW EXECUTE FUNCTION nothing(); ALTER TABLE trail DISABLE TRIGGER t",
	"a trigger on the version's table":      makeFunction + "CREATE TRIGGER t BEFORE INSERT ON book_layout FOR EACH ROW EXECUTE FUNCTION nothing()",
	"row security":                          "ALTER TABLE trail ENABLE ROW LEVEL SECURITY",
	"row security for the owner":            "ALTER TABLE stretches FORCE ROW LEVEL SECURITY",
	"row security of a partition":           "ALTER TABLE blocks_0 ENABLE ROW LEVEL SECURITY",
	"a policy":                              "CREATE POLICY p ON blocks USING (height > 2)",
	"no key":                                "ALTER TABLE trail DROP CONSTRAINT trail_pkey",
	"no key of two columns":                 "ALTER TABLE stretches DROP CONSTRAINT stretches_pkey",
	"no key of parts":                       "ALTER TABLE parts DROP CONSTRAINT parts_pkey",
	"no key of a partitioned table":         "ALTER TABLE transactions DROP CONSTRAINT transactions_pkey",
	"a key of other columns":                "ALTER TABLE parts DROP CONSTRAINT parts_pkey, ADD CONSTRAINT parts_pkey PRIMARY KEY (unit, number, kind, part, body)",
	"a unique constraint in place of a key": "ALTER TABLE trail DROP CONSTRAINT trail_pkey, ADD CONSTRAINT trail_pkey UNIQUE (number)",
	"a key that is checked late":            "ALTER TABLE trail DROP CONSTRAINT trail_pkey, ADD CONSTRAINT trail_pkey PRIMARY KEY (number) DEFERRABLE INITIALLY DEFERRED",
	"a renamed key":                         "ALTER TABLE trail RENAME CONSTRAINT trail_pkey TO other",
	"no check":                              "ALTER TABLE book DROP CONSTRAINT book_one_check",
	"a weaker check":                        "ALTER TABLE book DROP CONSTRAINT book_one_check, ADD CONSTRAINT book_one_check CHECK (one < 3)",
	"a check that was not made":             "ALTER TABLE book DROP CONSTRAINT book_one_check, ADD CONSTRAINT book_one_check CHECK (one = 1) NOT VALID",
	"no check of a partitioned table":       "ALTER TABLE blocks DROP CONSTRAINT blocks_height_check",
	"another check":                         "ALTER TABLE trail ADD CHECK (act <> 'returned')",
	"another check of a partition":          "ALTER TABLE blocks_0 ADD CHECK (height <> 7)",
	"a reference":                           "ALTER TABLE rejudgements ADD FOREIGN KEY (height) REFERENCES trail (number)",
	"an exclusion":                          "ALTER TABLE trail ADD EXCLUDE USING btree (actor WITH =)",
	"another index of a partition":          "CREATE UNIQUE INDEX more ON blocks_0 (time_ms)",
	"a column of another type":              "ALTER TABLE rejudgements ALTER row_number TYPE NUMERIC",
	"a renamed column of sums":              "ALTER TABLE stretches RENAME seal TO seals",
	"a shorter column":                      "ALTER TABLE rejudgements ALTER before TYPE VARCHAR(10)",
	"a column that may be null":             "ALTER TABLE trail ALTER comment DROP NOT NULL",
	"a column that may not be null":         "ALTER TABLE rejudgements ALTER before SET NOT NULL",
	"a partition's column that is not null": "ALTER TABLE blocks_0 ALTER time_ms SET NOT NULL",
	"a default":                             "ALTER TABLE trail ALTER comment SET DEFAULT 'agreed'",
	"a partition's default":                 "ALTER TABLE blocks_0 ALTER flags SET DEFAULT 0",
	"numbers by the server":                 "ALTER TABLE trail ALTER number ADD GENERATED BY DEFAULT AS IDENTITY",
	"a computed column":                     "ALTER TABLE rejudgements DROP after, ADD after TEXT GENERATED ALWAYS AS ('same') STORED",
	"another collation":                     `ALTER TABLE rejudgements ALTER program TYPE TEXT COLLATE "POSIX"`,
	"columns in another order":              "ALTER TABLE rejudgements DROP before, ADD before TEXT",
	"other storage":                         "ALTER TABLE parts ALTER body SET STORAGE PLAIN",
	"a table without a log":                 "ALTER TABLE trail SET UNLOGGED",
	"a table that inherits":                 "CREATE TABLE more () INHERITS (trail)",
	"a table that is inherited":             "CREATE TABLE less (number BIGINT NOT NULL); ALTER TABLE trail INHERIT less",
	"a materialized view":                   "DROP VIEW book_proved; CREATE MATERIALIZED VIEW book_proved AS SELECT * FROM proved",
	"a view with other options":             "ALTER VIEW book_trail SET (security_barrier = true)",
	"a view by a function of others":        "CREATE FUNCTION encode(bytea, text) RETURNS text LANGUAGE sql AS 'SELECT ''00'''; CREATE OR REPLACE VIEW book_seals AS SELECT unit, name, first, last, blocks, public.encode(''::bytea, 'hex') AS seal FROM (TABLE book_seals) s",
	"a view's column by another name":       "ALTER VIEW book_trail RENAME COLUMN actor TO users",
	"a partition of other bounds":           "ALTER TABLE blocks DETACH PARTITION blocks_0; ALTER TABLE blocks ATTACH PARTITION blocks_0 FOR VALUES FROM (0) TO (1000)",
	"a partition for the rest":              "CREATE TABLE blocks_rest PARTITION OF blocks DEFAULT",
	"a partition by another name":           "ALTER TABLE blocks_0 RENAME TO blocks_00",
	"a partition of a table of others":      "CREATE TABLE transactions_7 (LIKE transactions INCLUDING ALL); ALTER TABLE transactions ATTACH PARTITION transactions_7 FOR VALUES FROM (7000000000000) TO (8000000000000)",
	"a partition in another schema":         "CREATE SCHEMA other; CREATE TABLE other.blocks_1048576 PARTITION OF blocks FOR VALUES FROM (1048576) TO (2097152); CREATE RULE r AS ON UPDATE TO other.blocks_1048576 DO INSTEAD NOTHING",
	"a partition of partitions":             "CREATE TABLE blocks_1048576 PARTITION OF blocks FOR VALUES FROM (1048576) TO (2097152) PARTITION BY RANGE (height)",
	"a table of a type":                     "CREATE TYPE kept AS (number BIGINT, word TEXT); DROP TABLE rejudgements; CREATE TABLE rejudgements OF kept",
	"another table of versions":             "ALTER TABLE book_layout ALTER version_id TYPE NUMERIC",
	"a table partitioned by something else": "DROP TABLE transactions CASCADE; CREATE TABLE transactions (id BIGINT PRIMARY KEY) PARTITION BY HASH (id)",
	"a table that is not partitioned":       "DROP TABLE transactions CASCADE; CREATE TABLE transactions (id BIGINT PRIMARY KEY)",
}

// Every alteration of the schema is found, whatever the engine, also tables and views of others.
func TestAlteredSchemas(t *testing.T) {
	check := func(t *testing.T, what, statements string, want schema, have func() (schema, error), do func(string) error) {
		t.Helper()
		require.NoError(t, do(statements), what)
		s, err := have()
		require.NoError(t, err, what)
		var found []string
		s.compare(want, func(table, format string, _ ...any) { found = append(found, table+": "+format) })
		if what == "others" {
			require.Empty(t, found, statements)
		} else {
			require.NotEmpty(t, found, "%s: %s", what, statements)
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		ctx := context.Background()
		place := filepath.Join(t.TempDir(), "fees.db")
		b := openedWriter(t, place)
		want, err := b.engine.intendedSchema(ctx, 0)
		require.NoError(t, err)
		require.NoError(t, b.Close())
		db, err := openFile(place, "_pragma=legacy_alter_table(1)") // so that renaming a table does not check all views
		require.NoError(t, err)
		defer db.Close()
		db.SetMaxOpenConns(1)
		alter := func(what, statements string) {
			_, err := db.Exec("BEGIN")
			require.NoError(t, err)
			check(t, what, statements, want, func() (schema, error) { return sqliteSchema(ctx, sqlQuerier{db}) }, func(s string) error { _, err := db.Exec(s); return err })
			_, err = db.Exec("ROLLBACK")
			require.NoError(t, err)
			_, err = db.Exec("PRAGMA writable_schema = 0")
			require.NoError(t, err)
		}
		alter("others", "CREATE TABLE others (a); CREATE INDEX of_others ON others (a); ANALYZE; DROP TABLE others")
		for _, list := range []map[string]string{alterations, fileAlterations} {
			for what, statements := range list {
				alter(what, statements)
			}
		}
		for _, r := range redefinitions {
			var definition string
			require.NoError(t, db.QueryRow("SELECT sql FROM sqlite_master WHERE name = ?", r.table).Scan(&definition))
			require.Contains(t, definition, r.old, r.what)
			alter(r.what, "DROP TABLE "+r.table+"; "+strings.Replace(definition, r.old, r.new, 1))
		}
		alter("others", "SELECT 1")
		require.Greater(t, len(alterations)+len(fileAlterations)+len(redefinitions), 50)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		ctx := context.Background()
		b := openedWriter(t, postgrestest.Start(t).Database(t))
		require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam"}, 0))
		writeAll(t, b, 0, 3)
		want, err := b.engine.intendedSchema(ctx, 0)
		require.NoError(t, err)
		alter := func(what, statements string) {
			tx, err := Pool(b).Begin(ctx)
			require.NoError(t, err)
			defer tx.Rollback(ctx)
			check(t, what, statements, want, func() (schema, error) { return postgresSchema(ctx, pgQuerier{tx}) }, func(s string) error { _, err := tx.Exec(ctx, s); return err })
		}
		alter("others", "CREATE TABLE river_job (id BIGINT PRIMARY KEY)")
		alter("others", "CREATE TABLE blocks_1048576 (LIKE blocks INCLUDING ALL); ALTER TABLE blocks ATTACH PARTITION blocks_1048576 FOR VALUES FROM (1048576) TO (2097152)")
		for _, list := range []map[string]string{alterations, serverAlterations} {
			for what, statements := range list {
				alter(what, statements)
			}
		}
		require.Greater(t, len(alterations)+len(serverAlterations), 50)
	})
}

// Verify reports an altered schema, and a row of what was judged again that no program wrote.
func TestVerifyFindsAnAlteredSchema(t *testing.T) {
	ctx := context.Background()
	forged := "INSERT INTO rejudgements (height, table_name, row_number, column_name, program, before, after, digest) SELECT 1, 'transactions', 1, 'fee', '1.0', '1', '2', digest FROM book"
	for _, x := range []struct{ name, place, statement, table string }{
		{"a file", filepath.Join(t.TempDir(), "fees.db"), fileAlterations["a trigger that ignores"], "blocks"},
		{"a file, a row", filepath.Join(t.TempDir(), "fees.db"), forged, "rejudgements"},
		{"a server", postgrestest.Start(t).Database(t), serverAlterations["a rule that does nothing"], "trail"},
		{"a server, a row", postgrestest.Start(t).Database(t), forged, "rejudgements"},
	} {
		b := openedWriter(t, x.place)
		require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam"}, 0))
		writeAll(t, b, 0, 3)
		require.NoError(t, b.Rejudge(ctx, "2.0", []Difference{{Height: 1, Table: "transactions", Row: 1, Column: "fee", Stored: "1", Now: "3", Judgement: true}}))
		sound(t, b)
		require.NoError(t, b.engine.exec(ctx, x.statement), x.name)
		var found []Damage
		require.NoError(t, b.Verify(ctx, func(d Damage) { found = append(found, d) }, func(_, _ uint64) {}))
		require.True(t, slices.ContainsFunc(found, func(d Damage) bool { return d.Table == x.table }), "%s: %v", x.name, found)
	}
}

// A rejudgement of a block that the ledger does not contain is found, although its digest is right.
func TestARejudgementOfNoBlock(t *testing.T) {
	ctx := context.Background()
	b := openedWriter(t, filepath.Join(t.TempDir(), "fees.db"))
	require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam"}, 0))
	writeAll(t, b, 0, 3)
	require.NoError(t, b.Rejudge(ctx, "2.0", []Difference{{Height: 9, Table: "transactions", Row: 1, Column: "fee", Stored: "1", Now: "3", Judgement: true}}))
	var found []Damage
	require.NoError(t, b.Verify(ctx, func(d Damage) { found = append(found, d) }, func(_, _ uint64) {}))
	require.Equal(t, []Damage{{Table: "rejudgements", Message: "a row is about block 9, which the ledger does not contain"}}, found)
}

// A ledger restored from a dump, and one whose token has other decimals, has the schema that the program creates.
func TestSchemaOfARestoredLedger(t *testing.T) {
	ctx := context.Background()
	server := postgrestest.Start(t)
	for _, decimals := range []int{18, 12} {
		place := server.Database(t)
		b := openedWriter(t, place)
		require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam", Decimals: decimals}, 0))
		writeAll(t, b, 0, 3)
		sound(t, b)
		require.NoError(t, b.Close())
		again, err := Open(ctx, server.Restored(t, place))
		require.NoError(t, err)
		sound(t, again)
		require.NoError(t, again.Close())
	}
}

// A role that cannot create temporary tables verifies the rest; the result says that the schema was not compared.
func TestASchemaThatCannotBeCompared(t *testing.T) {
	ctx := context.Background()
	server := postgrestest.Start(t)
	place := server.Database(t)
	b := openedWriter(t, place)
	require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam"}, 0))
	writeAll(t, b, 0, 3)
	database := place[strings.LastIndex(place, "/")+1 : strings.Index(place, "?")]
	address, role := server.Role(t, place)
	for _, s := range []string{"GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + role, "REVOKE TEMPORARY ON DATABASE " + database + " FROM PUBLIC"} {
		require.NoError(t, b.engine.exec(ctx, s))
	}
	intendedSchemas.Clear()
	auditor, err := Open(ctx, address)
	require.NoError(t, err)
	defer auditor.Close()
	err = auditor.Verify(ctx, func(d Damage) { t.Error(d) }, func(_, _ uint64) {})
	require.ErrorIs(t, err, ErrSchemaUnread)
	require.ErrorContains(t, err, "the role may not create temporary tables")
}

// Functions of the ledger's schema that come before the server's are found.
func TestASearchPathWithFunctionsOfOthers(t *testing.T) {
	ctx := context.Background()
	place := postgrestest.Start(t).Database(t)
	b := openedWriter(t, place)
	require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam"}, 0))
	require.NoError(t, b.Close())
	b, err := Open(ctx, place+"&search_path=public,pg_catalog")
	require.NoError(t, err)
	defer b.Close()
	var found []Damage
	require.NoError(t, b.Verify(ctx, func(d Damage) { found = append(found, d) }, func(_, _ uint64) {}))
	require.Len(t, found, 1)
	require.Contains(t, found[0].String(), "search path")
}

// An act that the database does not keep is an error, whatever drops it.
func TestAnActThatIsNotKept(t *testing.T) {
	ctx := context.Background()
	files := map[string]string{"a file": fileAlterations["a trigger that undoes"], "a file that ignores": fileAlterations["a trigger that ignores"]}
	servers := map[string]string{"a rule": serverAlterations["a rule that does nothing"], "a trigger": serverAlterations["a trigger that ignores"], "a late trigger": `
		CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM trail WHERE number = NEW.number; RETURN NULL; END';
		CREATE CONSTRAINT TRIGGER t AFTER INSERT ON trail DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION undo()`,
		"another text": `
		CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.comment := ''agreed''; RETURN NEW; END';
		CREATE TRIGGER t BEFORE INSERT ON trail FOR EACH ROW EXECUTE FUNCTION other()`}
	act := Act{User: "anna", Kind: Prepared, Period: "2026-01", Zone: "UTC", Comment: "first"}
	try := func(name, place, statements string) {
		b := openedWriter(t, place)
		require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam"}, 0))
		_, err := b.Record(ctx, act, nil)
		require.NoError(t, err)
		if pool := Pool(b); pool != nil {
			_, err = pool.Exec(ctx, statements)
		} else {
			err = b.engine.exec(ctx, statements)
		}
		require.NoError(t, err, name)
		done, err := b.Record(ctx, act, nil)
		if err != nil {
			require.ErrorIs(t, err, ErrDamaged, name)
			return
		}
		require.Equal(t, "a rule", name, "COPY does not apply rules")
		have, err := b.Trail(ctx)
		require.NoError(t, err)
		require.Equal(t, done, have[1])
	}
	for name, statements := range files {
		try(name, filepath.Join(t.TempDir(), "fees.db"), statements)
	}
	server := postgrestest.Start(t)
	for name, statements := range servers {
		try(name, server.Database(t), statements)
	}
}
