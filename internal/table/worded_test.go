package table_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/pdf"
	"github.com/feeledger/fees/internal/table"
)

// term is text of which people read only what follows its first three characters, in brackets.
type term string

func (t term) String() string { return string(t) }
func (t term) Words() string  { return "[" + string(t[3:]) + "]" }

// Programs read the fixed text and people its words. An empty one is a missing value.
func TestWorded(t *testing.T) {
	s := func() *table.Sheet { return one(table.Text, false, term("no_evidence"), term("")) }
	for form, want := range map[string]string{
		"csv":   "it\nno_evidence\n\"\"\n",
		"jsonl": "{\"it\":\"no_evidence\"}\n{\"it\":null}\n",
		"txt":   "it\n------------\n[evidence]\n\n",
	} {
		require.Equal(t, want, string(written(t, form, s())), form)
	}
	require.Equal(t, [][]string{{"It"}, {"[evidence]"}}, opened(t, written(t, "xlsx", s())).cells("one"))
	all, _ := values(t, readParquet(t, written(t, "parquet", s())))
	require.Equal(t, "no_evidence", all[0][0].String())
	require.True(t, all[1][0].IsNull())
	list, _ := onPaper(t, table.Paper{Size: pdf.A4, Title: "Terms"}, s())
	require.Equal(t, []string{"[evidence]", ""}, textsOf(list, "TD"))
	for _, kind := range []table.Kind{table.Integer, table.Date} {
		require.EqualError(t, table.WriteJSONLines(nil, one(kind, false, term("a"))),
			fmt.Sprintf(`sheet "one", row 1, column it: a value of type table_test.term is not of kind %v`, kind))
	}
}
