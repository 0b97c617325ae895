package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
)

// Books of the payers of a chain with pallet revive: the fee of each Ethereum transaction is what was charged, deposits have
// their own account, no movement is unclassified, and every balance closes.
func TestBooksOfRevivePayers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		last  int
		flags []string
	}{
		"passet-1019002":   {36, nil}, // then fees are paid in an asset
		"stack-template-3": {37, []string{"--network-file", "../../testdata/networks/stack-template-3.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			recorded, blocks := pairs.Path(t, name, "gateway"), fmt.Sprintf("1..%d", c.last)
			flags := append([]string{"--ledger", filepath.Join(t.TempDir(), "fees.db")}, c.flags...)
			out, stderr, _ := fees(append([]string{"sync", fmt.Sprintf("0..%d", c.last), "--gateway", recorded}, flags...)...)
			require.Regexp(t, sealIn, out, stderr)
			text, err := os.ReadFile(filepath.Join(recorded, "sent.json"))
			require.NoError(t, err)
			var sent struct {
				Sent []struct {
					Family, Payer string
					Charged       string `json:"charged_wei"`
					Height        int
					DepositsBy    map[string]string
					Burned        string
				}
			}
			require.NoError(t, json.Unmarshal(text, &sent))
			type sums struct{ fee, deposits *big.Int }
			payers := map[string]*sums{}
			for _, s := range sent.Sent {
				if s.Family != "evm" || s.Height > c.last {
					continue
				}
				if payers[s.Payer] == nil {
					payers[s.Payer] = &sums{new(big.Int), new(big.Int)}
				}
				p := payers[s.Payer]
				p.fee.Add(p.fee, bigOf(t, s.Charged))
				if amount := s.DepositsBy[s.Payer]; amount != "" {
					p.deposits.Add(p.deposits, bigOf(t, amount))
				}
			}
			require.GreaterOrEqual(t, len(payers), 5)
			for payer, want := range payers {
				query := append([]string{"--gateway", recorded}, flags...)
				out, stderr, code := fees(append([]string{"statement", payer, blocks, "--format", "json"}, query...)...)
				require.Zero(t, code, stderr)
				var s struct {
					Proved bool
					Fees   []struct {
						Layer, Charged string
						Apart          int
					} `json:"fees_by_layer"`
					Movements []struct {
						Free, Layer string
						OfFee       bool `json:"of_fee"`
					}
				}
				require.NoError(t, json.Unmarshal([]byte(out), &s))
				require.True(t, s.Proved)
				require.Equal(t, "evm", s.Fees[0].Layer)
				require.Equal(t, want.fee.String(), s.Fees[0].Charged, payer)
				require.Zero(t, s.Fees[0].Apart)
				paid := new(big.Int)
				for _, m := range s.Movements {
					if m.OfFee && m.Layer == "evm" {
						paid.Sub(paid, bigOf(t, m.Free))
					}
				}
				require.Equal(t, want.fee.String(), paid.String())

				out, stderr, code = fees(append([]string{"rollforward", blocks, "--accounts", payer}, query...)...)
				require.Zero(t, code, stderr)
				require.NotContains(t, out, "unclassified")
				require.Contains(t, out, "proved to the planck")

				out, stderr, code = fees(append([]string{"export", blocks, "--with", "movements", "--as", "hledger", "--accounts", payer}, query...)...)
				require.Zero(t, code, stderr)
				if name == "stack-template-3" {
					require.Equal(t, want.deposits.String(), postedTo(t, out, "Assets:Deposits").String(), payer)
				}
			}
		})
	}
}

// postedTo returns the sum of a journal's postings to an account in the token's smallest unit, of 10^-12.
func postedTo(t *testing.T, journal, account string) *big.Int {
	sum := new(big.Int)
	for _, found := range regexp.MustCompile(`(?m)^    `+account+`  (-?\d+)\.(\d{12}) `).FindAllStringSubmatch(journal, -1) {
		sum.Add(sum, bigOf(t, strings.TrimSpace(found[1]+found[2])))
	}
	return sum
}
