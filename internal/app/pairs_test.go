package app_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/explain"
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
