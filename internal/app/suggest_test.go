package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// reads is a reader for questions that open one.
func reads(r *source.Reader) func() (*source.Reader, error) {
	return func() (*source.Reader, error) { return r, nil }
}

// In runtime 2100 the base fee is 100 Gwei, always. Blocks 23 to 27 have five EVM
// transactions in 24 to 27 with these priority fees per gas, from what was bid when they
// were recorded, less the base fee: 9 Gwei in block 24; 0, 0 and 1 Gwei in 25; 7, 1.234567890
// and 1 in 26; 14, 2.469135780 and 1 in 27.
func TestSuggestByAGateway(t *testing.T) {
	reader := demo(t)
	s, err := app.Suggest(t.Context(), app.SuggestRequest{Blocks: 5, Tables: network.BuiltIn(), Gateway: reads(reader)})
	require.NoError(t, err)
	require.Equal(t, []any{app.FromGateway, true, 5, 10}, []any{s.From, s.Certain, s.Blocks, s.Transactions})
	require.EqualValues(t, 27, must(t, s.Newest))
	require.Equal(t, "100000000000", s.Market.BaseFeePerGas.String())
	require.True(t, s.Market.Static)
	require.Len(t, s.Market.PriorityFees, 4, "block 23 has no EVM transaction")
	// Of one transaction, all percentiles are what it bid.
	for _, price := range s.Market.PriorityFees[0] {
		require.Equal(t, "9000000000", price.String())
	}
	// The cheapest that anybody paid for, and the dearest.
	for i, ends := range [][2]string{{"0", "1000000000"}, {"1000000000", "7000000000"}, {"1000000000", "14000000000"}} {
		for _, price := range s.Market.PriorityFees[i+1] {
			n, low, high := number(t, price.String()), number(t, ends[0]), number(t, ends[1])
			require.True(t, n.Cmp(low) >= 0 && n.Cmp(high) <= 0, price)
		}
	}
	for _, b := range s.Bids {
		sum := new(big.Int).Add(number(t, s.Market.BaseFeePerGas.String()), number(t, b.MaxPriorityFeePerGas.String()))
		require.Equal(t, sum.String(), b.MaxFeePerGas.String(), "a static base fee needs no headroom")
	}
	reasons := reasonsOf(s)
	require.Contains(t, reasons["base fee"], "100 Gwei, static, by ")
	require.Equal(t, "base fee + priority fee: a static base fee needs no headroom", reasons["max fee"])
	require.Equal(t, "the median of each block's 10th, 50th and 90th percentile, by gas, over the 4 with EVM transactions among the 5 blocks up to 27; EVM transactions: 10", reasons["priority fee"])

	s, err = app.Suggest(t.Context(), app.SuggestRequest{Blocks: 1000, Gateway: reads(reader)})
	require.NoError(t, err)
	require.Equal(t, 25, s.Blocks, "the demo begins with block 3")
	evm := 0
	for _, x := range allSent(t) {
		if x.Family == "evm" {
			evm++
		}
	}
	require.Equal(t, evm, s.Transactions)
	s, err = app.Suggest(t.Context(), app.SuggestRequest{Blocks: 1, Gateway: reads(reader)})
	require.NoError(t, err)
	require.Equal(t, "the 10th, 50th and 90th percentile, by gas, of the newest block; EVM transactions: 3", reasonsOf(s)["priority fee"])
}

func number(t *testing.T, text string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(text, 10)
	require.True(t, ok, text)
	return n
}

func reasonsOf(s *app.Suggestion) map[string]string {
	reasons := map[string]string{}
	for _, r := range s.Reasons() {
		reasons[r.Figure] = r.Text
	}
	return reasons
}

// Where the base fee moves, it is the newest block's multiplier times the runtime's
// constant: 125 Gwei in runtime 2302.
func TestSuggestByAMultiplier(t *testing.T) {
	c, reader := made(12, 50)
	s, err := app.Suggest(t.Context(), app.SuggestRequest{Blocks: 20, Gateway: reads(reader)})
	require.NoError(t, err)
	m, err := reader.Source.Multiplier(t.Context(), 50)
	require.NoError(t, err)
	product := new(big.Int).Mul(number(t, m.Value.String()), number(t, "125000000000"))
	require.Equal(t, product.Div(product, number(t, "1000000000000000000")).String(), s.Market.BaseFeePerGas.String())
	require.EqualValues(t, 50, must(t, s.Multiplier).At)
	require.Equal(t, 20, s.Blocks)
	reasons := reasonsOf(s)
	require.Contains(t, reasons["base fee"], " × 125 Gwei, the multiplier stored at block 50, by ")
	require.Contains(t, reasons["max fee"], "times the base fee, + priority fee: good for ")

	c.SetHead(0)
	s, err = app.Suggest(t.Context(), app.SuggestRequest{Blocks: 20, Gateway: reads(reader)})
	require.NoError(t, err)
	require.Equal(t, "0: no block contains transactions yet", reasonsOf(s)["priority fee"])
	quiet := otherwise{Source: reader.Source, block: func(b *chain.Block) error {
		b.Extrinsics = slices.DeleteFunc(b.Extrinsics, func(x chain.Extrinsic) bool { return x.Pallet == "ethereum" })
		return nil
	}}
	c.SetHead(9)
	s, err = app.Suggest(t.Context(), app.SuggestRequest{Blocks: 3, Gateway: reads(&source.Reader{Source: quiet, Tables: reader.Tables})})
	require.NoError(t, err)
	require.Equal(t, "0: no EVM transaction in the 3 blocks up to 9", reasonsOf(s)["priority fee"])
}

// An archive that begins later has fewer blocks, a transaction that cannot be priced is not
// counted, and both are said; a gateway that is away suggests nothing.
func TestSuggestByLess(t *testing.T) {
	reader := demo(t)
	reader.Source = begins{otherwise{Source: reader.Source, block: func(b *chain.Block) error {
		if b.Number == 26 {
			b.Extrinsics[4].Payload = b.Extrinsics[6].Payload // of a native transaction
		}
		return nil
	}}, 25}
	s, err := app.Suggest(t.Context(), app.SuggestRequest{Blocks: 20, Gateway: reads(reader)})
	require.NoError(t, err)
	require.Equal(t, []int{3, 8}, []int{s.Blocks, s.Transactions})
	require.Contains(t, s.Notes, "the recordings begin at block 25 and contain 3 of the 20 requested blocks")
	require.Contains(t, s.Notes, "1 EVM transaction is not counted: its priority fee is unknown")

	ask := func(src source.Source) error {
		reader := demo(t)
		reader.Source = src
		_, err := app.Suggest(t.Context(), app.SuggestRequest{Blocks: 20, Gateway: reads(reader)})
		return err
	}
	require.ErrorIs(t, ask(away{demo(t).Source}), errAway)
	require.ErrorIs(t, ask(otherwise{Source: demo(t).Source, block: func(b *chain.Block) error { return errAway }}), errAway)
	require.ErrorIs(t, ask(begins{demo(t).Source, 0}), errAway)
	_, err = app.Suggest(t.Context(), app.SuggestRequest{Blocks: 20, Gateway: func() (*source.Reader, error) { return nil, errAway }})
	require.ErrorIs(t, err, errAway)
}

// Prices above what any chain can have are rejected: here the base fee is the
// largest price of all at a multiplier of 1, so that at 2 it is none, and at 1 no headroom is.
func TestSuggestByPricesThatAreNone(t *testing.T) {
	most := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
	tables, err := app.ReadTables(write(t, "mine.json", `{"networks": [{"name": "moonbeam", "symbol": "GLMR", "last_runtime": 4500,
		"rows": [{"from_runtime": 900, "base_fee_constant": "`+most.String()+`", "minimum_multiplier": "1", "source": "a test"}]}]}`))
	require.NoError(t, err)
	for _, multiplier := range []string{"2000000000000000000", "1000000000000000000"} {
		reader := demo(t)
		reader.Tables, reader.Source = tables, fixed{reader.Source, multiplier}
		_, err = app.Suggest(t.Context(), app.SuggestRequest{Blocks: 5, Gateway: reads(reader)})
		require.ErrorContains(t, err, "malformed prices of recent blocks: ")
		require.Equal(t, failure.Unanswered, app.KindOf(err))
	}
}

// fixed has the same multiplier everywhere.
type fixed struct {
	source.Source
	multiplier string
}

func (f fixed) Unwrap() source.Source { return f.Source }

func (f fixed) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	m, err := f.Source.Multiplier(ctx, at)
	if err == nil {
		m.Value, err = chain.ParseMultiplier(f.multiplier)
	}
	return m, err
}

// begins is an archive that begins at a height; at 0 it cannot tell.
type begins struct {
	source.Source
	at uint64
}

func (b begins) Unwrap() source.Source { return b.Source }

func (b begins) Kept() (h chain.Heights, err error) {
	if b.at == 0 {
		return h, errAway
	}
	return chain.Heights{First: b.at, Last: 27}, nil
}

// node is a node that answers from a list of results, or errors, by method.
func node(t *testing.T, answers map[string]string) *rpc.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		var q struct {
			ID     json.RawMessage
			Method string
		}
		json.Unmarshal(text, &q)
		answer, ok := answers[q.Method]
		if !ok {
			answer = `"error":{"code":-32601,"message":"Method not found"}`
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, q.ID, answer)
	}))
	t.Cleanup(server.Close)
	client, err := rpc.New(server.URL, httpclient.Options{RetryWait: time.Millisecond}) // some answers are asked for again
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

// Blocks 100, 102 and 103 used gas, 101 did not: the zeros of its rewards are not bids. The
// next block's price is the newest one's, 31.4 Gwei, not the one after it.
const history = `"result":{"oldestBlock":"0x64","baseFeePerGas":["0x746a52880","0x746a52881","0x74c3bab70","0x74f95fa00","0x665a33ac0"],"gasUsedRatio":[0.25,0.0,0.5,0.1],"reward":[["0x1","0x2","0x3"],["0x0","0x0","0x0"],["0x0","0x3b9aca00","0x77359400"],["0x5","0x6","0x7"]]}`

func runtime(name string, version int) string {
	return fmt.Sprintf(`"result":{"specName":%q,"specVersion":%d}`, name, version)
}

// A node's own figures, with what the tables know of its runtime. By hand: of 1, 0 and 5 the
// median is 1; of 2, 10^9 and 6 it is 6; of 3, 2 × 10^9 and 7 it is 7.
func TestSuggestByANode(t *testing.T) {
	for name, c := range map[string]struct {
		runtime, network string
		note             string
		err              error
	}{
		"known":              {runtime: runtime("moonbeam", 3702)},
		"static":             {runtime: runtime("moonbeam", 2100)},
		"no runtime":         {note: "the node does not report its runtime: the network's minimum gas price is unknown, and the base fee is assumed to move"},
		"no table":           {runtime: runtime("acala", 1), note: `the node's network "acala" is not in any table: `},
		"no row":             {runtime: runtime("moonbeam", 1), note: "the node's runtime 1 is not in any table: "},
		"taken as":           {runtime: runtime("acala", 3702), network: "moonriver", note: `the node calls its network "acala"; treated as moonriver because of --network`},
		"another network":    {runtime: runtime("moonbeam", 3702), network: "moonriver", err: network.ErrConflict},
		"a network of none":  {runtime: runtime("moonbeam", 3702), network: "nowhere", err: network.ErrUnknownNetwork},
		"a runtime of none":  {runtime: `"result":{"specName":7}`, err: errMalformed},
		"a node that breaks": {runtime: `"error":{"code":-32603,"message":"Internal error"}`, err: errMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			answers := map[string]string{"eth_feeHistory": history}
			if c.runtime != "" {
				answers["state_getRuntimeVersion"] = c.runtime
			}
			s, err := app.Suggest(t.Context(), app.SuggestRequest{Blocks: 4, Tables: network.BuiltIn(), Network: c.network, Node: node(t, answers)})
			if c.err != nil {
				require.Error(t, err)
				if c.err != errMalformed {
					require.ErrorIs(t, err, c.err)
					require.Equal(t, failure.NotUnderstood, app.KindOf(err))
				} else {
					require.Equal(t, failure.Unanswered, app.KindOf(err), "%v", err)
				}
				return
			}
			require.NoError(t, err)
			require.Equal(t, []any{app.FromNode, true, 4, "31400000000"}, []any{s.From, s.Certain, s.Blocks, s.Market.BaseFeePerGas.String()})
			require.EqualValues(t, 103, must(t, s.Newest))
			var bids []string
			for _, b := range s.Bids {
				bids = append(bids, b.MaxPriorityFeePerGas.String())
			}
			require.Equal(t, []string{"1", "6", "7"}, bids)
			if c.note != "" {
				require.Contains(t, strings.Join(s.Notes, "\n"), c.note)
			} else {
				require.Empty(t, s.Notes)
				require.Contains(t, reasonsOf(s)["base fee"], "31.4 Gwei, from eth_feeHistory: the next block's base fee after the newest block, runtime ")
			}
			require.Contains(t, reasonsOf(s)["priority fee"], "over the 3 with EVM transactions among the 4 newest blocks")
		})
	}
}

var errMalformed = fmt.Errorf("malformed")

// How long a headroom is enough is by the rule of the node's runtime: in all of these v is
// 4/1000, and the target 25 %, 35 % or, in the test's own table, 50 %; see fee's tests for the
// figures. Without a rule in the table they are unknown; a constant multiplier needs none.
func TestSuggestByTheRuntimesRule(t *testing.T) {
	own := func(more string) network.Tables {
		tables, err := app.ReadTables(write(t, "mine.json", `{"networks": [{"name": "made-up", "symbol": "MAD", "last_runtime": 7,
			"rows": [{"from_runtime": 1, "base_fee_constant": "31250000000", "minimum_multiplier": "1000000000000000000", "source": "a test"}]`+more+`}]}`))
		require.NoError(t, err)
		return tables
	}
	half := own(`, "multiplier_updates": [{"from_runtime": 1, "minimum": "1000000000000000000", "adjustment": "4000000000000000", "target": 500000,
		"max_ref_time": "500000000000", "source": "a test"}]`)
	constant := own(`, "multiplier_updates": [{"from_runtime": 1, "constant": "1000000000000000000", "source": "a test"}]`)
	const enough, static = "1.125, 1.5 and 2 times the base fee, + priority fee", "base fee + priority fee: a static base fee needs no headroom"
	for _, c := range []struct {
		tables network.Tables
		node   string
		reason string
	}{
		{network.BuiltIn(), runtime("moonbeam", 2302), enough + ": good for 39, 135 and 231 full blocks in a row, each of which raises the base fee by 0.30045 % at most"},
		{network.BuiltIn(), runtime("moonbeam", 4401), enough + ": good for 45, 155 and 266 full blocks in a row, each of which raises the base fee by 0.260338 % at most"},
		{network.BuiltIn(), runtime("datahaven-mainnet", 1500), enough + ": good for 45, 155 and 266 full blocks in a row, each of which raises the base fee by 0.260338 % at most"},
		{network.BuiltIn(), runtime("datahaven-mainnet", 300), static},
		{network.BuiltIn(), runtime("moonbeam", 2100), static},
		{network.BuiltIn(), runtime("nobody", 1), enough + "; how much a full block raises the base fee is unknown"},
		{half, runtime("made-up", 7), enough + ": good for 58, 202 and 346 full blocks in a row, each of which raises the base fee by 0.2002 % at most"},
		{own(""), runtime("made-up", 7), enough + "; how much a full block raises the base fee is unknown"},
		{constant, runtime("made-up", 7), static},
	} {
		s, err := app.Suggest(t.Context(), app.SuggestRequest{Blocks: 1, Tables: c.tables, Node: node(t, map[string]string{
			"state_getRuntimeVersion": c.node,
			"eth_feeHistory":          `"result":{"oldestBlock":"0x64","baseFeePerGas":["0x746a52880","0x746a52880"],"gasUsedRatio":[0],"reward":[["0x0","0x0","0x0"]]}`,
		})})
		require.NoError(t, err, c.node)
		require.Equal(t, "31250000000", s.Market.BaseFeePerGas.String())
		require.Equal(t, c.reason, reasonsOf(s)["max fee"], c.node)
		known := strings.Contains(c.reason, " full blocks in a row")
		require.Equal(t, known, s.Raise().Known(), c.node)
		for _, b := range s.Bids {
			require.Equal(t, known, b.FullBlocks.Known(), c.node)
		}
	}
	// At the multiplier's maximum, 10^5, a headroom of the base fee is never used up.
	s, err := app.Suggest(t.Context(), app.SuggestRequest{Blocks: 1, Tables: network.BuiltIn(), Node: node(t, map[string]string{
		"state_getRuntimeVersion": runtime("moonbeam", 4401), // 0xb1a2bc2ec5000 is 10^5 × 31.25 Gwei
		"eth_feeHistory":          `"result":{"oldestBlock":"0x64","baseFeePerGas":["0xb1a2bc2ec5000","0xb1a2bc2ec5000"],"gasUsedRatio":[0],"reward":[["0x0","0x0","0x0"]]}`,
	})})
	require.NoError(t, err)
	require.Contains(t, reasonsOf(s)["max fee"], ": good for 100000 or more, 100000 or more and 100000 or more full blocks in a row, ")
}

// A node that has fewer blocks does not say which; a base fee below the network's minimum is
// raised to it, 31.25 Gwei in runtime 3702; prices that no chain has are rejected.
func TestSuggestByANodeWithLess(t *testing.T) {
	ask := func(blocks uint64, history string) (*app.Suggestion, error) {
		return app.Suggest(t.Context(), app.SuggestRequest{Blocks: blocks, Tables: network.BuiltIn(),
			Node: node(t, map[string]string{"eth_feeHistory": history, "state_getRuntimeVersion": runtime("moonbeam", 3702)})})
	}
	s, err := ask(2, `"result":{"oldestBlock":"0x67","baseFeePerGas":["0x3b9aca00","0x3b9aca00"],"gasUsedRatio":[0],"reward":[["0x0","0x0","0x0"]]}`)
	require.NoError(t, err)
	require.Contains(t, s.Notes, "the node returned 1 of the 2 requested blocks")
	require.False(t, s.Newest.Known())
	require.Contains(t, reasonsOf(s)["base fee"], "1 Gwei, from eth_feeHistory")
	require.Contains(t, reasonsOf(s)["base fee"], "; raised to 31.25 Gwei, the network's minimum gas price")
	require.Equal(t, "0: no EVM transaction in the newest block", reasonsOf(s)["priority fee"])
	huge := "0x" + strings.Repeat("f", 64)
	_, err = ask(1, `"result":{"oldestBlock":"0x67","baseFeePerGas":["`+huge+`","0x1"],"gasUsedRatio":[0.5],"reward":[["`+huge+`","`+huge+`","`+huge+`"]]}`)
	require.Error(t, err)
	require.Equal(t, failure.Unanswered, app.KindOf(err), "%v", err)
}

// A node without the method, or without blocks, leaves it to the gateway, and that is said,
// also where the gateway does not answer.
func TestSuggestInsteadOfANode(t *testing.T) {
	for why, answers := range map[string]map[string]string{
		"the node does not support eth_feeHistory": nil,
		"the node's eth_feeHistory is empty":       {"eth_feeHistory": `"result":{"oldestBlock":"0x64","baseFeePerGas":[],"gasUsedRatio":[]}`},
	} {
		q := app.SuggestRequest{Blocks: 3, Tables: network.BuiltIn(), Node: node(t, answers), Gateway: reads(demo(t))}
		s, err := app.Suggest(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, app.FromGateway, s.From)
		require.Contains(t, s.Notes, why+": the figures come from the gateway's blocks")
		q.Gateway = func() (*source.Reader, error) { return nil, errAway }
		_, err = app.Suggest(t.Context(), q)
		require.ErrorIs(t, err, errAway)
		require.ErrorContains(t, err, why+", and the gateway failed: ")
	}
	// The recorded node of runtime 2100 does not have it either.
	text, err := os.ReadFile("../../testdata/recordings/moonbeam-2100/rpc/eth_feeHistory.json")
	require.NoError(t, err)
	require.Contains(t, string(text), "Method not found: eth_feeHistory")
}
