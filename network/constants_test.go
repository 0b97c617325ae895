package network_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network/rule"
)

// The figures in the runtimes' own metadata match the tables: base weights, block weight limits, and the fees
// per byte and per picosecond.
func TestConstantsOfTheMetadata(t *testing.T) {
	text, err := os.ReadFile("testdata/constants.md")
	require.NoError(t, err)
	compared := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 9 || !strings.Contains(cells[4], "(") {
			continue
		}
		base, largest, normal, others := numbers(cells[4]), numbers(cells[5]), numbers(cells[6]), cells[7]
		for _, runtime := range numbers(cells[2]) {
			what := strings.TrimSpace(cells[1]) + " " + runtime
			rules, err := vectors.Rules(t, strings.TrimSpace(cells[1]), runtime)
			require.NoError(t, err, what)
			fee, known := rules.NativeFee.Get()
			require.True(t, known, what)
			operational, known := fee.OperationalBaseWeight.Get()
			require.True(t, known, what)
			if len(largest) == 2 { // each weight has its proof size, which is 0 in base weights
				require.Equal(t, []string{fee.BaseWeight.String(), "0", operational.String(), "0"}, base[:4], what)
			} else {
				require.Equal(t, []string{fee.BaseWeight.String(), operational.String()}, base[:2], what)
			}
			compareCosts(t, fee, others, what)
			if u, _ := rules.Update.Get(); !u.Constant.Known() {
				require.Equal(t, u.MaxRefTime.String(), largest[0], what)
				require.Equal(t, u.NormalRefTime().String(), normal[0], what)
				if u.LimitingDimension {
					require.Equal(t, fmt.Sprint(u.MaxProofSize), largest[1], what)
					require.Equal(t, fmt.Sprint(u.Full().ProofSize), normal[1], what)
				}
			}
			compared++
		}
	}
	require.Equal(t, 113, compared, "runtimes")
	t.Logf("%d runtimes", compared)
}

// compareCosts compares the fees per picosecond and per byte, if the metadata contain them.
func compareCosts(t *testing.T, fee rule.NativeFee, others, what string) {
	t.Helper()
	if weight := regexp.MustCompile(`'WeightToFee': \[\((\d+), 0, 0, 1\)\]`).FindStringSubmatch(others); weight != nil {
		require.Equal(t, fee.WeightFee.String(), weight[1], what)
	}
	if each := regexp.MustCompile(`'TransactionByteFee': \[(\d+)\]`).FindStringSubmatch(others); each != nil {
		require.Equal(t, []string{fee.LengthFee.Linear.String(), fee.LengthFee.Cubic.String()}, []string{each[1], "0"}, what)
	}
	if terms := regexp.MustCompile(`'LengthToFee': \[\((\d+), 0, 0, 1\)(?:, \((\d+), 0, 0, 3\))?\]`).FindStringSubmatch(others); terms != nil {
		if terms[2] == "" {
			terms[2] = "0"
		}
		require.Equal(t, []string{fee.LengthFee.Linear.String(), fee.LengthFee.Cubic.String()}, terms[1:], what)
	}
}

func numbers(text string) []string { return regexp.MustCompile(`\d+`).FindAllString(text, -1) }
