package ledgertest

import (
	"bytes"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"
)

// Change changes a ledger file by SQL statements, each of which has to change something. Each
// block has the leaves of its rows afterwards: the changes are what a chain could have told, and
// no damage.
func Change(t testing.TB, path string, statements ...string) {
	t.Helper()
	if len(statements) == 0 {
		return
	}
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	for _, statement := range statements {
		result, err := db.Exec(statement)
		require.NoError(t, err, statement)
		rows, err := result.RowsAffected()
		require.NoError(t, err)
		require.Positive(t, rows, statement)
	}
	ask := Ask(t, db)
	_, blocks := ask("SELECT height, costs, leaves FROM blocks")
	for _, b := range blocks {
		leaves, _ := Leaves(t, ask, b[0].(int64), b[1].([]byte))
		if !bytes.Equal(leaves, b[2].([]byte)) {
			_, err := db.Exec("UPDATE blocks SET leaves = ? WHERE height = ?", leaves, b[0])
			require.NoError(t, err)
		}
	}
}
