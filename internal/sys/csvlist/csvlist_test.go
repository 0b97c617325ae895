package csvlist_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/csvlist"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{"a,b": "a,b", "\ufeffa": "a", "": "", "é\r\n": "é\r\n"} {
		have, err := csvlist.Text([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, string(have))
	}
	for text, want := range map[string]string{
		"\xff\xfea\x00": "it is UTF-16: save it as UTF-8",
		"\xfe\xff\x00a": "it is UTF-16: save it as UTF-8",
		"caf\xe9":       "it is not UTF-8: save it as UTF-8",
	} {
		_, err := csvlist.Text([]byte(text))
		require.EqualError(t, err, want)
	}
}

func TestSeparator(t *testing.T) {
	for line, want := range map[string]rune{
		"a,b;c": ',', "a;b,c": ';', "a\tb,c": '\t', `"a,b";c`: ';', `"a;""b,";c`: ';', "a b": 0, "": 0, "a|b": 0,
	} {
		require.Equal(t, want, csvlist.Separator(line, ",;\t"), line)
	}
	require.Equal(t, '|', csvlist.Separator("a|b,c", ";\t|,"))
}

func TestFirstLine(t *testing.T) {
	require.Equal(t, "a,b", csvlist.FirstLine([]byte("# no\r\n\r\n  \n a,b \r\nc,d\n")))
	require.Equal(t, "a;b", csvlist.FirstLine([]byte("\"# no, no\",,\n# no;;\na;b\n")))
	require.Empty(t, csvlist.FirstLine([]byte("# no\n\n")))
}

// A remark as people type it, and as spreadsheets save it: quoted if it contains a separator, with separators after it.
func TestRemark(t *testing.T) {
	for line, want := range map[string]string{
		"# a: b": " a: b", "# a: b,,\r\n": " a: b", `"# a: b, c",,`: " a: b, c", `"# a: ""b""; c";`: ` a: "b"; c`, "  # a\t\t": " a", "#": "",
	} {
		have, ok := csvlist.Remark(line)
		require.True(t, ok, line)
		require.Equal(t, want, have, line)
	}
	for _, line := range []string{"", ",,", "a,#b", `"#1 wallet","0x01"`, `"#1 wallet",0x01`, `"# a`, `"`, `""`} {
		_, ok := csvlist.Remark(line)
		require.False(t, ok, line)
	}
}

// rowsOf are the rows of a text up to what is wrong.
func rowsOf(text string, separator rune) (rows []csvlist.Row, err error) {
	for row, err := range csvlist.Rows([]byte(text), separator) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func TestRows(t *testing.T) {
	rows, err := rowsOf("# no\r\na ; \"b;\"\"c\"\r\n\r\n;;\r\n\"# no; no\";;\r\nd;\"two\nlines\"\n\"#1\";e\n", ';')
	require.NoError(t, err)
	require.Equal(t, []csvlist.Row{{2, []string{"a", `b;"c`}}, {6, []string{"d", "two\nlines"}}, {8, []string{"#1", "e"}}}, rows)

	rows, err = rowsOf("a\t\tb\n", '\t')
	require.NoError(t, err)
	require.Equal(t, []csvlist.Row{{1, []string{"a", "", "b"}}}, rows)

	rows, err = rowsOf("a,,b,, \n", ',')
	require.NoError(t, err)
	for count, want := range []string{"a,,b", "a,,b", "a,,b", "a,,b", "a,,b,", "a,,b,,", "a,,b,,"} {
		require.Equal(t, want, strings.Join(rows[0].Cut(count), ","), count)
	}

	rows, err = rowsOf("a,b\n\nc,d\"e\nf\n", ',')
	require.Equal(t, []csvlist.Row{{1, []string{"a", "b"}}}, rows)
	require.EqualError(t, err, `line 3: bare " in non-quoted-field`)
	for range csvlist.Rows([]byte("a\nb\n"), ',') {
		break // callers may stop early
	}
}
