package web_test

import (
	"encoding/csv"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee/evidence"
)

// Each kind of findings is explained once, with its number, what should hold, what to do and where.
func TestFindingsAreExplained(t *testing.T) {
	s := served(t, filled(t, "0..27"), nil)
	rows, err := csv.NewReader(strings.NewReader(get(t, s, "/findings.csv", nil).text)).ReadAll()
	require.NoError(t, err)
	count := map[string]int{}
	for _, row := range rows[1:] {
		require.Equal(t, "check", row[0])
		count[row[3]]++
	}
	require.Equal(t, map[string]int{"block.time": 1}, count, "block 1 of the recording is later than block 2")
	page := get(t, s, "/findings", nil).text
	found := regexp.MustCompile(`(?s)<section class="found">.*?</section>`).FindAllString(page, -1)
	require.Len(t, found, len(count))
	require.Contains(t, found[0], "<small>block.time</small> <strong>1</strong>")
	require.Contains(t, found[0], `<a href="block/2">2</a>`)
	require.Contains(t, found[0], "<code>fees verify 1..2 --gateway URL --against SECOND_URL</code>")
	for _, check := range evidence.Checks() {
		if check.ID == "block.time" {
			require.Contains(t, html.UnescapeString(found[0]), check.Holds)
		}
	}
}
