package prove_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// realHeight is the height of a block of the real Moonbeam, of runtime 3702, as served by the real gateway. It
// is public, and not a part of this repository.
const realHeight = 11_728_459

// realGateway responds like the real one for that block, on a runtime with a governance parameter: it accepts
// the parameter's key in hex, and responds to one in JSON, which it cannot map to the enum, with status 500.
// Governance had set the share to 0 by then: all nine fees were burned.
//
// The multiplier follows from the charges of the block: its second transaction was refunded
// 131,906,250,000,000 wei of 2,306,406,250,000,000 for a limit of 73,805 gas, with no priority fee:
// 31,250,000,000 wei per gas, which is the runtime's constant times 1, the lowest multiplier. It stayed there:
// the block was nearly empty.
type realGateway struct {
	block     string
	parameter func(w http.ResponseWriter, r *http.Request) // for a key in hex
	asked     atomic.Int64                                 // how often
}

func (g *realGateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, message string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"code":%d,"message":%q,"level":"error"}`, status, message)
	}
	at := r.URL.Query().Get("at")
	switch r.URL.Path {
	case fmt.Sprintf("/blocks/%d", realHeight):
		fmt.Fprint(w, g.block)
	case fmt.Sprintf("/blocks/%d/header", realHeight):
		fmt.Fprint(w, g.block) // which has a header's fields
	case "/node/version":
		fmt.Fprint(w, `{"clientImplName":"moonbeam","chain":"Moonbeam"}`)
	case "/runtime/spec":
		fmt.Fprintf(w, `{"at":{"height":%q},"specName":"moonbeam","specVersion":"3702"}`, at)
	case "/pallets/transaction-payment/storage/nextFeeMultiplier":
		fmt.Fprintf(w, `{"at":{"height":%q},"value":"1000000000000000000"}`, at)
	case "/pallets/parameters/storage/parameters":
		g.asked.Add(1)
		if key := r.URL.Query().Get("keys[]"); !strings.HasPrefix(key, "0x") {
			refuse(500, `Cannot map Enum JSON, unable to find 'RuntimeConfig' in mocked`)
			return
		}
		g.parameter(w, r)
	default:
		refuse(500, "Unable to retrieve header and parent from supplied hash")
	}
}

func proportionIs(value string) func(w http.ResponseWriter, r *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		fmt.Fprintf(w, `{"at":{"height":%q},"pallet":"parameters","palletIndex":"47","storageItem":"parameters","keys":[%q],"value":%s}`,
			query.Get("at"), query.Get("keys[]"), value)
	}
}

// client returns a client of that gateway.
func (g *realGateway) client(t *testing.T, o gatewayclient.Options) *gatewayclient.Client {
	text, err := os.ReadFile(repository.Shared(t, "realnet", "moonbeam-11728459.json"))
	require.NoError(t, err)
	g.block = string(text)
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	o.RetryWait = time.Millisecond
	client, err := gatewayclient.New(server.URL, o)
	require.NoError(t, err)
	return client
}

// prove verifies the block from that gateway.
func (g *realGateway) prove(t *testing.T, o gatewayclient.Options) (*evidence.Report, error) {
	return proveReal(g.client(t, o))
}

func proveReal(src source.Source) (*evidence.Report, error) {
	p := &prove.Prover{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}, Concurrency: 2, Options: evidence.Options{Signatures: true}}
	var report *evidence.Report
	for x, err := range p.Range(ctx, chain.Heights{First: realHeight, Last: realHeight}, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			return nil, err
		}
		report = x.Report
	}
	return report, nil
}

// A real block of a modern runtime is stored: a question that such a gateway answers in one
// form only stops nothing.
func TestARealBlockIsStored(t *testing.T) {
	g := &realGateway{parameter: proportionIs(`{"runtimeConfig":{"feesTreasuryProportion":"0"}}`)}
	p := &prove.Prover{Reader: &source.Reader{Source: g.client(t, gatewayclient.Options{}), Tables: network.BuiltIn()}, Concurrency: 2}
	book, err := ledger.OpenWriter(ctx, filepath.Join(t.TempDir(), "fees.db"))
	require.NoError(t, err)
	defer book.Close()
	require.NoError(t, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, realHeight))
	for x, err := range p.Range(ctx, chain.Heights{First: realHeight, Last: realHeight}, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		e, err := ledger.NewEntry(x.Block, x.Report)
		require.NoError(t, err)
		require.NoError(t, book.Write(ctx, []*ledger.Entry{e}))
	}
	_, err = book.Seal(ctx)
	require.NoError(t, err)
	require.NoError(t, book.Verify(ctx, func(d ledger.Damage) { t.Error(d) }, func(_, _ uint64) {}))
	s, err := book.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, chain.Some[uint64](realHeight), s.Sealed)
	require.Zero(t, s.Findings+s.Unanswered+s.Totals.Uncharged+s.Totals.Unaccounted)
	require.Equal(t, "12641937500000000", s.Totals.Fee.String(), "the known total")
	require.Equal(t, s.Totals.Fee, s.Totals.Burned)
}

// A real block is priced to the wei and its nine splits are proved.
func TestARealBlock(t *testing.T) {
	g := &realGateway{parameter: proportionIs(`{"runtimeConfig":{"feesTreasuryProportion":"0"}}`)}
	report, err := g.prove(t, gatewayclient.Options{})
	require.NoError(t, err)
	require.Empty(t, report.Findings)
	require.Empty(t, report.Unanswered)
	require.Empty(t, report.Notes)
	require.Equal(t, 9, report.Totals.EVM)
	require.Equal(t, 9, report.Totals.Match)
	require.Equal(t, 9, tally(report, "evm.split"))
	require.Equal(t, int64(1), g.asked.Load())

	// What the chain charged, added up here: what was withdrawn, less what came back.
	var block struct {
		Extrinsics []struct {
			Method struct{ Pallet string }
			Events []struct {
				Method struct{ Pallet, Method string }
				Data   []json.RawMessage
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(g.block), &block))
	amount := func(text json.RawMessage) chain.Wei {
		w, err := chain.ParseWei(strings.Trim(string(text), `"`))
		require.NoError(t, err)
		return w
	}
	var charged chain.Wei
	for _, x := range block.Extrinsics {
		if x.Method.Pallet != "ethereum" {
			continue
		}
		for _, e := range x.Events {
			switch e.Method.Pallet + "." + e.Method.Method {
			case "balances.Withdraw":
				charged, err = charged.Add(amount(e.Data[1]))
			case "balances.Deposit":
				charged, err = charged.Sub(amount(e.Data[1]))
			}
			require.NoError(t, err)
		}
	}
	require.Equal(t, charged, report.Totals.Fee)
	burned, _ := report.Totals.Burned.Get()
	require.Equal(t, charged, burned, "the treasury's share was 0")
}

// An archive keeps the parameter: the splits are proved from it, too, as from a gateway
// that serves it.
func TestARealBlockFromAnArchive(t *testing.T) {
	g := &realGateway{parameter: proportionIs(`{"runtimeConfig":{"feesTreasuryProportion":"0"}}`)}
	client := g.client(t, gatewayclient.Options{})
	want, err := proveReal(client)
	require.NoError(t, err)
	for _, segments := range []bool{false, true} {
		directory := t.TempDir()
		manifest, err := answers.Record(ctx, client, directory, answers.RecordOptions{
			First: realHeight, Last: realHeight, Segments: segments,
			ParameterKey: func(r chain.AtBlock[chain.Runtime]) string {
				return network.BuiltIn().ParameterKey(r.Value.SpecName, r.Value.SpecVersion)
			},
		})
		require.NoError(t, err)
		require.Equal(t, "0x0000", manifest.ParameterKey)
		kept, err := answers.OpenDirectory(directory)
		require.NoError(t, err)
		server := httptest.NewServer(answers.Handler(kept))
		t.Cleanup(server.Close)
		again, err := gatewayclient.New(server.URL, gatewayclient.Options{})
		require.NoError(t, err)
		for _, src := range []source.Source{kept, again} {
			report, err := proveReal(src)
			require.NoError(t, err)
			require.Equal(t, want, report)
			require.Equal(t, 9, tally(report, "evm.split"))
		}
	}
}

// Where governance has set nothing, the runtime's default of 20 % holds: on this block, of
// which nothing went to the treasury, each split is then broken.
func TestARealBlockByTheDefault(t *testing.T) {
	report, err := (&realGateway{parameter: proportionIs("null")}).prove(t, gatewayclient.Options{})
	require.NoError(t, err)
	require.Len(t, report.Findings, 9)
	for _, f := range report.Findings {
		require.Equal(t, "evm.split", f.Check)
	}
}

// A gateway that will never answer is reported from one that did not answer in time. Both are
// said, and neither stops the range.
func TestARealBlockWithoutTheParameter(t *testing.T) {
	for name, c := range map[string]struct {
		parameter http.HandlerFunc
		again     bool
		asked     int64 // 0 for as often as there is time
		says      string
	}{
		"it cannot tell": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			fmt.Fprint(w, `{"code":500,"message":"Unable to decode storage parameters.parameters"}`)
		}, false, 1, "the source cannot answer this request"},
		"the runtime has no such thing": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			fmt.Fprint(w, `{"code":400,"message":"\"parameters\" was not recognized as a queryable pallet."}`)
		}, false, 1, "the source cannot answer this request"},
		"it takes too long": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, true, 1, "timed out"},
		"it is busy":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, true, 0, "status 503"},
		"it is garbage":     {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"value":{}}`) }, true, 10, "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			g := &realGateway{parameter: c.parameter}
			report, err := g.prove(t, gatewayclient.Options{Total: 2 * time.Second})
			require.NoError(t, err)
			require.Empty(t, report.Findings)
			require.Equal(t, 9, report.Totals.Match, "no fee depends on it")
			require.Zero(t, tally(report, "evm.split"))
			if c.asked == 0 {
				require.Greater(t, g.asked.Load(), int64(4), "questions")
			} else {
				require.Equal(t, c.asked, g.asked.Load(), "questions")
			}
			require.Contains(t, strings.Join(report.Notes, "\n"), c.says)
			if !c.again {
				require.Empty(t, report.Unanswered)
				return
			}
			require.Len(t, report.Unanswered, 1)
			q := report.Unanswered[0]
			require.Equal(t, evidence.AboutProportion, q.About)
			require.Equal(t, uint64(realHeight-1), q.At)
			require.Contains(t, q.Why, c.says)
		})
	}
}
