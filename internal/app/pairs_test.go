package app_test

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// pair is a reader of a recorded chain, with a network file.
func pair(t testing.TB, name, file string) *source.Reader {
	t.Helper()
	src, err := source.Open(pairs.Path(t, name, "gateway"), source.Options{})
	require.NoError(t, err)
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	if file != "" {
		text, err := os.ReadFile("../../testdata/networks/" + file)
		require.NoError(t, err)
		reader.Tables, err = reader.Tables.With(file, text)
		require.NoError(t, err)
	}
	return reader
}

// A user can state the Ethereum receipt of a transaction of pallet revive. The figures of 2-2 are those of its sent.json.
func TestExplainWithAReceipt(t *testing.T) {
	reader := pair(t, "stack-template-3", "stack-template-3.json")
	explained := func(id, receipt string) (*explain.Explanation, error) {
		which, err := app.ParseTransactionRef(id, "")
		require.NoError(t, err)
		if err := which.SetReceipt(receipt); err != nil {
			return nil, err
		}
		return app.Explain(t.Context(), reader, which)
	}
	for receipt, findings := range map[string][]string{"24895@49999050000": nil, "0x613f@0xba42cf510": nil, "24896@49999050000": {"evm.receipt"}} {
		v, err := explained("2-2", receipt)
		require.NoError(t, err)
		var found []string
		for _, f := range v.Findings {
			found = append(found, f.Check)
		}
		require.Equal(t, findings, found, receipt)
	}
	for _, wrong := range []string{"", "24895", "24895@", "@1", "010@0b1", "1_0@1", "-1@1", "24895@49.99 Gwei", "0x@1"} {
		_, err := explained("2-2", wrong)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err), wrong)
		require.ErrorContains(t, err, "want the gas used, @ and the effective gas price in wei")
		require.Equal(t, []app.Field{app.FieldReceipt}, fieldsOf(t, err))
	}
	_, err := explained("4-9", "0@0")
	require.ErrorContains(t, err, "transaction 4-9 is not an Ethereum transaction of pallet revive")
}

// priced is a source whose base fee is one wei more than the other's from a height on.
type priced struct {
	source.Source
	from uint64
	err  error
}

func (p priced) Unwrap() source.Source { return p.Source }

func (p priced) BaseFee(ctx context.Context, item string, at uint64) (b chain.AtBlock[chain.GasPrice], err error) {
	from, err := source.As[source.BaseFees](p.Source)
	if err != nil {
		return b, err
	}
	if b, err = from.BaseFee(ctx, item, at); err == nil && at >= p.from {
		b.Value, err = b.Value.Add(chain.NewGasPrice(1))
	}
	if p.err != nil {
		err = p.err
	}
	return b, err
}

// Two gateways of a chain that stores its base fee are compared by it, too.
func TestExamineStoredBaseFees(t *testing.T) {
	reader := pair(t, "creditcoin3-87", "")
	blocks := chain.Heights{First: 5, Last: 9}
	_, found, err := examined(t, blocks, app.Examination{Reader: reader, Against: reader.Source})
	require.NoError(t, err)
	require.Empty(t, found)
	_, found, err = examined(t, blocks, app.Examination{Reader: reader, Against: priced{Source: reader.Source, from: 7}})
	require.NoError(t, err)
	require.Len(t, found, 1)
	_, _, err = examined(t, blocks, app.Examination{Reader: reader, Against: priced{Source: reader.Source, err: errAway}})
	require.ErrorIs(t, err, errAway)
	require.ErrorContains(t, err, "the other gateway: ")
}

// Accounts of another length than the chain's are refused before anything is read.
func TestExamineAccountsOfAnotherChain(t *testing.T) {
	long := chain.Address32([32]byte{1})
	_, _, err := examined(t, chain.Heights{First: 3, Last: 4}, app.Examination{Reader: demo(t), Accounts: []chain.Address{long}})
	require.Equal(t, failure.NotUnderstood, app.KindOf(err), "%v", err)
	require.Equal(t, []app.Field{app.FieldAccounts}, fieldsOf(t, err))
}

// A node states its runtime, which decodes transactions, and the figures of a draft table: those of the recorded chain's
// own file.
func TestRuntimeAndDraftOfANode(t *testing.T) {
	server := httptest.NewServer(nodetest.OpenPair(t, "stack-template-3"))
	t.Cleanup(server.Close)
	node, err := rpc.New(server.URL, httpclient.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { node.Close() })
	runtime, err := app.RuntimeOf(t.Context(), node, chain.Some(uint64(8)))
	require.NoError(t, err)
	require.Equal(t, chain.LongAddressSize, runtime.Metadata().AccountSize())
	_, err = app.RuntimeOf(t.Context(), node, chain.Some(uint64(1_000_000)))
	require.Error(t, err)
	draft, err := app.DraftTable(t.Context(), node)
	require.NoError(t, err)
	want, known := pair(t, "stack-template-3", "stack-template-3.json").Tables.Named("stack-template")
	require.True(t, known)
	require.Equal(t, []any{want.SpecName, want.Symbol, want.Decimals, want.EVMChainID, want.AccountMapping}, []any{draft.Table.SpecName, draft.Table.Symbol, draft.Table.Decimals, draft.Table.EVMChainID, draft.Table.AccountMapping})
}

// A ledger that begins after a deposit was taken says so, and for how many that were given back it lacks the transaction. Those
// are the ones of the whole ledger.
func TestDepositsOfALaterLedger(t *testing.T) {
	reader := pair(t, "stack-template-3", "stack-template-3.json")
	const begin = 7
	changes := func(first uint64) (rows []map[string]string, notes []string) {
		place := file(t)
		_, err := app.Sync(t.Context(), place, blocks(t, fmt.Sprintf("%d..37", first)), app.FillOptions{Reader: reader})
		require.NoError(t, err)
		d, err := app.Open(t.Context(), place, reader.Tables)
		require.NoError(t, err)
		defer d.Close()
		list, err := d.Deposits(t.Context(), app.DepositsRequest{Request: app.Request{Period: app.Heights(begin, 37)}, Changes: true})
		require.NoError(t, err)
		return rowsOf(t, list.List), list.List.Notes
	}
	whole, notes := changes(0)
	require.Empty(t, notes[:len(notes)-1], "all but the evidence")
	late, sum := 0, new(big.Rat)
	for _, row := range whole {
		block, _, _ := strings.Cut(row["taken"], "-")
		height, err := strconv.ParseUint(block, 10, 64)
		require.NoError(t, err)
		if strings.HasPrefix(row["change"], "-") && height < begin {
			late++
			change, ok := new(big.Rat).SetString(row["change_token"])
			require.True(t, ok, row)
			sum.Sub(sum, change)
		}
	}
	require.Positive(t, late)
	_, notes = changes(begin)
	require.Equal(t, []string{fmt.Sprintf("the ledger begins at block %d: deposits that were taken before it are not known, and not listed", begin),
		fmt.Sprintf("%d deposits of %s UNIT were given back, and the ledger does not contain the transactions that took them", late, sum.FloatString(12))}, notes[:2])
}

// A balance that a source states of another block at that height is an error, and no finding.
func TestExamineBalanceOfAnotherBlock(t *testing.T) {
	reader := demo(t)
	reader.Source = elsewhere{withBalances(t)}
	_, _, err := examined(t, chain.Heights{First: 20, Last: 22}, app.Examination{Reader: reader, Accounts: []chain.Address{address(t, alith)}})
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.ErrorContains(t, err, "at block 20")
}

// elsewhere is a source with balances of another block.
type elsewhere struct{ otherwise }

func (e elsewhere) Balance(ctx context.Context, account chain.Address, at chain.Optional[uint64]) (chain.AtBlock[chain.Account], error) {
	b, err := e.otherwise.Balance(ctx, account, at)
	b.AtHash = chain.Some(chain.Hash{1})
	return b, err
}

// The records of a month are those of its blocks, by their own times.
func TestRecordsOfAMonth(t *testing.T) {
	d := opened(t, changed(t, movedTo(10, "1769904000000"))) // 2026-02-01
	var text bytes.Buffer
	require.NoError(t, d.WriteRecords(t.Context(), &text, parsed(t, app.PeriodInput{Month: "2026-01", Partial: true})))
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	for _, line := range lines {
		require.NotContains(t, line, `"block":10,`)
		require.Contains(t, line, `"time":"2026-01-`)
	}
	require.Contains(t, text.String(), `{"block":9,`)
	require.Contains(t, text.String(), `{"block":11,`)
	require.ErrorIs(t, d.WriteRecords(t.Context(), full{errAway}, app.Heights(1, 2)), errAway)
}

// full is a file that takes nothing more.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

// A font is named by its file where it cannot be used.
func TestReadFont(t *testing.T) {
	font, err := app.ReadFont("")
	require.NoError(t, err)
	require.Nil(t, font)
	_, err = app.ReadFont(write(t, "a.ttf", "OTTO"))
	require.ErrorContains(t, err, "a.ttf")
	require.ErrorContains(t, err, "the file is not a TrueType font")
	require.Equal(t, []app.Field{app.FieldFont}, fieldsOf(t, err))
}
