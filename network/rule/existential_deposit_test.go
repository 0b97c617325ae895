package rule_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
)

// withDeposits returns a table with existential deposits.
func withDeposits(rows string) (network.Tables, error) {
	return network.BuiltIn().With("f.json", []byte(`{"networks": [{"name": "local", "symbol": "LOC", "last_runtime": 300,
		"rows": [{"from_runtime": 100, "static_base_fee": "5", "source": "a"}], "existential_deposits": [`+rows+`]}]}`))
}

// The deposit of a runtime is that of the last row that starts at or before it. It is unknown before the first
// row, and in an unknown row; 0 is a figure.
func TestExistentialDeposits(t *testing.T) {
	tables, err := withDeposits(`{"from_runtime": 150, "deposit": "1000000000", "source": "b", "note": "n"},
		{"from_runtime": 200, "unknown": true, "source": "c"}, {"from_runtime": 300, "deposit": "0", "source": "d"}`)
	require.NoError(t, err)
	n, _ := tables.Named("local")
	for runtime, want := range map[uint32]string{100: "", 149: "", 150: "1000000000", 199: "1000000000", 200: "", 299: "", 300: "0", 301: "0"} {
		rules, err := n.Rules(runtime)
		require.NoError(t, err)
		deposit, known := rules.ExistentialDeposit.Get()
		require.Equal(t, want != "", known, "runtime %d", runtime)
		if known {
			require.Equal(t, want, deposit.String(), "runtime %d", runtime)
		}
	}
	// A missing list is not taken for a deposit of 0.
	rules, err := vectors.Rules(t, "moonbeam", "specification")
	require.NoError(t, err)
	require.False(t, rules.ExistentialDeposit.Known())
}

func TestExistentialDepositsAreChecked(t *testing.T) {
	const row = `network 1 "local": existential_deposits from runtime `
	for what, c := range map[string]struct{ rows, want string }{
		"no figure":            {`{"from_runtime": 100, "source": "b"}`, row + "100: deposit: missing; want an amount in wei, 0 if dust is never lost"},
		"null":                 {`{"from_runtime": 100, "deposit": null, "source": "b"}`, row + "100: deposit: missing; want an amount in wei, 0 if dust is never lost"},
		"unknown with one":     {`{"from_runtime": 100, "unknown": true, "deposit": "1", "source": "b"}`, row + "100: unknown: want no figures in the same row"},
		"unknown with 0":       {`{"from_runtime": 100, "unknown": true, "deposit": "0", "source": "b"}`, row + "100: unknown: want no figures in the same row"},
		"no source":            {`{"from_runtime": 100, "deposit": "0"}`, row + "100: source: missing; name the source of the figures"},
		"order":                {`{"from_runtime": 200, "deposit": "0", "source": "b"}, {"from_runtime": 150, "deposit": "1", "source": "b"}`, row + "150: follows the row from runtime 200; want rows in ascending order"},
		"the same runtime":     {`{"from_runtime": 200, "deposit": "0", "source": "b"}, {"from_runtime": 200, "deposit": "1", "source": "b"}`, row + "200: follows the row from runtime 200; want rows in ascending order"},
		"after last_runtime":   {`{"from_runtime": 301, "deposit": "0", "source": "b"}`, `network 1 "local": last_runtime 300: want the newest runtime that the rows apply to, at least 301`},
		"a field that is none": {`{"from_runtime": 100, "deposit": "0", "source": "b", "least": "1"}`, `unknown field "least"`},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := withDeposits(c.rows)
			require.EqualError(t, err, c.want)
		})
	}
	_, err := withDeposits(`{"from_runtime": 100, "deposit": "-1", "source": "b"}`)
	require.ErrorContains(t, err, "not a non-negative integer")
}
