package prove_test

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// Every block of a recorded chain has the same result directly from its node as from Sidecar's responses: the
// same fees, verdicts and findings. The node also serves the encoded extrinsics, which enable further checks
// without a request. Only they give a rule for the native fees of runtime 1701: cash_only from a gateway
// becomes a match.
func TestProofFromANode(t *testing.T) {
	for name, last := range map[string]uint64{"moonbeam-1701": 27, "moonbeam-2100": 27, "moonbeam-2600": 27, "datahaven-100": 40, "datahaven-100m": 32} {
		t.Run(name, func(t *testing.T) {
			straight := nodeOf(t, name)
			recorded, err := answers.OpenDirectory(pairs.Path(t, name, "gateway"))
			require.NoError(t, err)

			have, want := reports(t, straight, last), reports(t, recorded, last)
			byNode, better := map[string]int{}, 0
			for i, r := range have {
				for _, id := range []string{"extrinsic.hash", "native.formula"} {
					byNode[id] += tally(r, id)
					require.Zero(t, tally(want[i], id))
				}
				if name == "moonbeam-1701" {
					better += improve(want[i], r)
				}
				requireSame(t, want[i], r)
			}
			signed, natives := 0, 0
			p := &prove.Prover{Reader: &source.Reader{Source: straight, Tables: network.BuiltIn()}, Options: evidence.Options{Signatures: true}}
			for x, err := range p.Range(t.Context(), chain.Heights{First: 1, Last: last}, nothing) {
				require.NoError(t, err)
				signed, natives = signed+tally(x.Report, "native.signature"), natives+x.Report.Totals.Native
			}
			require.Positive(t, natives)
			require.Equal(t, natives, signed, "every native signature is its signer's")
			require.Positive(t, byNode["extrinsic.hash"])
			require.Positive(t, byNode["native.formula"])
			require.Equal(t, name == "moonbeam-1701", better > 0)
			t.Logf("%d blocks, checked by the node: %v; %d more matches", len(have), byNode, better)
		})
	}
}

// Chains with pallet revive, straight from a node: every fee of both layers follows from the formula with a whole proof size,
// and every native signature is its signer's. From their gateway the fees are the same; the multiplier, which a gateway
// may not serve for them, is then read from the node beside it.
func TestHubsFromANode(t *testing.T) {
	for name, c := range map[string]struct {
		last              uint64
		evm, native, free int
		weights           map[evidence.WeightProof]int
		receipts          int
	}{
		// The rest was recorded without a node. The others of query_info's answers are upper bounds: revive.call.
		"passet-1019002":   {31, 53, 22, 0, map[evidence.WeightProof]int{evidence.WeightByQueryInfo: 19, evidence.WeightByProofSize: 3}, 0},
		"stack-template-3": {37, 88, 61, 8, map[evidence.WeightProof]int{evidence.WeightByQueryInfo: 43, evidence.WeightByProofSize: 10, "": 8}, 87},
	} {
		t.Run(name, func(t *testing.T) {
			recorded, err := answers.OpenDirectory(pairs.Path(t, name, "gateway"))
			require.NoError(t, err)
			node := nodeOf(t, name)
			var weights map[evidence.WeightProof]int
			prove := func(r *source.Reader) *evidence.Summary {
				summary := evidence.NewSummary()
				weights = map[evidence.WeightProof]int{}
				r.Tables = pairs.HubTables(t)
				p := &prove.Prover{Reader: r, Options: evidence.Options{Signatures: true, AskRuntime: true}}
				for x, err := range p.Range(t.Context(), chain.Heights{First: 1, Last: c.last}, nothing) {
					require.NoError(t, err)
					for _, f := range x.Report.Findings {
						require.False(t, f.Extrinsic.Known(), "root set multipliers, and nothing else is found: %v", f)
					}
					require.Empty(t, x.Report.Unanswered)
					summary.Add(x.Report)
					for _, t := range x.Report.Transactions {
						if t.Layer == fee.Native {
							weights[t.WeightProof]++
						}
					}
				}
				return summary
			}
			straight := prove(&source.Reader{Source: node})
			require.Equal(t, c.weights, weights)
			require.Equal(t, c.receipts, held(straight, "evm.receipt"))
			require.Equal(t, c.evm+c.native, straight.Verdicts[evidence.Match])
			require.Equal(t, []int{c.evm, c.native - c.free, c.native}, []int{held(straight, "evm.formula"), held(straight, "native.formula"), held(straight, "native.signature")})
			require.Equal(t, c.evm, held(straight, "evm.hold"))

			gateway := prove(&source.Reader{Source: recorded})
			require.Equal(t, straight.Fee, gateway.Fee)
			require.Zero(t, held(gateway, "evm.formula"))

			alone := prove(&source.Reader{Source: &withoutStorage{recorded}})
			require.Equal(t, straight.Fee, alone.Fee, "the chain states each fee")
			require.Equal(t, c.evm+c.native, alone.Verdicts[evidence.Match])
			require.Equal(t, []int{0, 0, 0}, []int{held(alone, "evm.hold"), held(alone, "block.multiplier"), alone.Undetermined})

			beside := prove(&source.Reader{Source: &withoutStorage{recorded}, Beside: node})
			require.Equal(t, held(straight, "block.multiplier"), held(beside, "block.multiplier"))
			require.Equal(t, c.evm, held(beside, "evm.hold"))
		})
	}
}

// held returns how often a check passed.
func held(s *evidence.Summary, id string) int {
	for i, c := range evidence.Checks() {
		if c.ID == id {
			return s.Checks[i].Held
		}
	}
	return -1
}

// withoutStorage is a gateway that does not serve the state's storage, as Sidecar 18 for the spec names of Asset Hubs.
type withoutStorage struct{ source.Source }

func (w *withoutStorage) Unwrap() source.Source { return w.Source }

func (*withoutStorage) Multiplier(context.Context, uint64) (none chain.AtBlock[chain.Multiplier], err error) {
	return none, fmt.Errorf("multiplier: %w", chain.ErrNotOffered)
}

func (*withoutStorage) BlockWeight(context.Context, uint64) (none chain.AtBlock[chain.ClassWeights], err error) {
	return none, fmt.Errorf("block weight: %w", chain.ErrNotOffered)
}

// nodeOf returns the node of a recorded chain.
func nodeOf(t *testing.T, name string) source.Source {
	t.Helper()
	node := nodetest.OpenPair(t, name)
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	src, err := source.Open(strings.Replace(server.URL, "http", "ws", 1), source.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { src.(io.Closer).Close() })
	return src
}

// dropping is a gateway that omits the last signed extrinsic of a block.
type dropping struct {
	source.Source
	height  uint64
	dropped bool
}

func (d *dropping) Unwrap() source.Source { return d.Source }

func (d *dropping) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := d.Source.Block(ctx, height)
	if err != nil || height != d.height {
		return b, err
	}
	for i := len(b.Extrinsics) - 1; i >= 0; i-- {
		if d.dropped = b.Extrinsics[i].Signed != nil; d.dropped {
			b.Extrinsics = slices.Delete(b.Extrinsics, i, i+1)
			for ; i < len(b.Extrinsics); i++ {
				b.Extrinsics[i].Index = i
			}
			break
		}
	}
	return b, nil
}

func (d *dropping) Extrinsics(context.Context, chain.Hash) ([][]byte, error) {
	return nil, chain.ErrNotOffered
}

// A block by itself reveals that its last native transaction was omitted, whatever its class, even if the
// multiplier is constant. On runtime 2100, whose multiplier follows from the class Normal, the three blocks
// with native transactions of the class Operational only do not reveal it.
func TestSingleFindsWhatIsLeftOut(t *testing.T) {
	for name, c := range map[string]struct{ last, natives, found, notes int }{
		"moonbeam-2100": {27, 12, 9, 0}, "moonbeam-2600": {27, 12, 12, 0}, "datahaven-100": {40, 17, 17, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gateway := &dropping{Source: nodeOf(t, name)}
			reader := &source.Reader{Source: gateway, Tables: network.BuiltIn()}
			natives, found := 0, 0
			for height := uint64(3); height <= uint64(c.last); height++ {
				single := func() *evidence.Report {
					item, err := reader.Read(t.Context(), source.Height(height))
					require.NoError(t, err)
					r, err := prove.Single(t.Context(), reader, item, evidence.Options{})
					require.NoError(t, err)
					require.Equal(t, c.notes, len(r.Notes), r.Notes) // the recorded DataHaven names its token HAVE, not MOCK
					return r
				}
				gateway.height = 0
				require.True(t, single().Holds(), height)
				gateway.height, gateway.dropped = height, false
				r := single()
				if gateway.dropped {
					natives++
				}
				if !r.Holds() {
					found++
				}
			}
			require.Equal(t, []int{c.natives, c.found}, []int{natives, found})
		})
	}
}

// reports returns the reports on all blocks up to a height.
func reports(t *testing.T, src source.Source, last uint64) (list []*evidence.Report) {
	t.Helper()
	p := &prove.Prover{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}, Concurrency: 4}
	for x, err := range p.Range(t.Context(), chain.Heights{First: 1, Last: last}, nothing) {
		require.NoError(t, err)
		list = append(list, x.Report)
	}
	require.Len(t, list, int(last))
	return list
}

// improve turns a charge into a match if its rule could be checked in only one of two reports.
func improve(to, from *evidence.Report) (better int) {
	cash, match := chain.Some(evidence.CashOnly), chain.Some(evidence.Match)
	for i := range to.Transactions {
		x, y := &to.Transactions[i], &from.Transactions[i]
		if x.Verdict == cash && y.Verdict == match && x.Layer == fee.Native {
			x.Verdict = match
			to.Totals.CashOnly--
			to.Totals.Match++
			better++
		}
	}
	return better
}

// requireSame requires two reports on a block to be equal, except for the checks that need the encoded
// extrinsics.
func requireSame(t *testing.T, want, have *evidence.Report) {
	t.Helper()
	for i, c := range evidence.Checks() {
		notRecorded := c.ID == "block.weighed" && want.Tallies[i].Why == "system.blockWeight is unknown"
		if c.ID == "extrinsic.hash" || c.ID == "native.formula" || notRecorded {
			require.Zero(t, have.Tallies[i].Broken, c.ID)
			continue
		}
		require.Equal(t, want.Tallies[i], have.Tallies[i], "block %d: %s", have.Number, c.ID)
	}
	require.Equal(t, want.Transactions, have.Transactions, "block %d", have.Number)
	require.Equal(t, want.Totals, have.Totals, "block %d", have.Number)
	require.Equal(t, want.Findings, have.Findings, "block %d", have.Number)
	require.Equal(t, want.Unanswered, have.Unanswered, "block %d", have.Number)
	require.Equal(t, want.Notes, have.Notes, "block %d", have.Number)
}
