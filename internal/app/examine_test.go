package app_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/source"
)

// examined is what an examination finds, by check.
func examined(t *testing.T, blocks chain.Heights, e app.Examination) (*evidence.Summary, map[string]int, error) {
	t.Helper()
	found, next := map[string]int{}, blocks.First
	summary, err := app.Examine(t.Context(), blocks, e, func(r *evidence.Report) error {
		require.Equal(t, next, r.Number, "in order")
		next++
		for _, f := range r.Findings {
			found[f.Check]++
		}
		return nil
	})
	return summary, found, err
}

// The demo proves itself, and every account's balances: what was charged is what was sent.
func TestExamine(t *testing.T) {
	reader := demo(t)
	reader.Source = withBalances(t)
	var accounts []chain.Address
	for account := range recordedBalances() {
		accounts = append(accounts, account)
	}
	summary, found, err := examined(t, chain.Heights{First: 3, Last: 27}, app.Examination{Reader: reader, Concurrency: 3, Signatures: true, Accounts: accounts, Against: demo(t).Source})
	require.NoError(t, err)
	require.Empty(t, found)
	sum, count := charges(t, func(sent) bool { return true })
	require.Equal(t, sum, known(t, summary.Charged))
	require.EqualValues(t, count, summary.EVM+summary.Native)
	require.Equal(t, int(count), summary.Verdicts[evidence.Match])
}

// A balance that is one wei off, and another gateway that says otherwise, are findings.
func TestExamineFinds(t *testing.T) {
	reader, off := demo(t), withBalances(t)
	right := off.balance
	off.balance = func(account chain.Address, height uint64) (chain.Balance, error) {
		b, err := right(account, height)
		if height >= 25 && err == nil {
			b.Free, err = b.Free.Add(chain.NewWei(1))
		}
		return b, err
	}
	reader.Source = off
	_, found, err := examined(t, chain.Heights{First: 20, Last: 27}, app.Examination{Reader: reader, Accounts: []chain.Address{address(t, alith)}})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"account.balance": 1}, found)

	against := otherwise{Source: demo(t).Source, block: func(b *chain.Block) (err error) {
		if b.Number == 25 {
			b.Extrinsics[4].Call = "another"
		}
		return err
	}}
	_, found, err = examined(t, chain.Heights{First: 20, Last: 27}, app.Examination{Reader: demo(t), Against: against})
	require.NoError(t, err)
	require.Len(t, found, 1)

	none := encoded{nil, nil}
	_, found, err = examined(t, chain.Heights{First: 25, Last: 25}, app.Examination{Reader: demo(t), Node: none})
	require.NoError(t, err)
	require.NotEmpty(t, found, "the node has no extrinsics, and the gateway nine")
}

// encoded is a node that says of each block the same.
type encoded struct {
	list [][]byte
	err  error
}

func (e encoded) Extrinsics(context.Context, chain.Hash) ([][]byte, error) { return e.list, e.err }

// Who is asked and does not answer ends the examination; the summary is of the blocks
// before.
func TestExamineThatCannotBe(t *testing.T) {
	fails := func(height uint64) func(*chain.Block) error {
		return func(b *chain.Block) error {
			if b.Number == height {
				return errAway
			}
			return nil
		}
	}
	noBalance := withBalances(t)
	noBalance.balance = func(_ chain.Address, height uint64) (none chain.Balance, err error) {
		if height >= 22 {
			err = errAway
		}
		return none, err
	}
	noFirst := noBalance
	noFirst.balance = func(chain.Address, uint64) (none chain.Balance, err error) { return none, errAway }
	with := func(src source.Source) *source.Reader {
		r := demo(t)
		r.Source = src
		return r
	}
	for name, c := range map[string]struct {
		e      app.Examination
		blocks int
		error  string
	}{
		"the gateway":            {app.Examination{Reader: with(otherwise{Source: demo(t).Source, block: fails(23)})}, 3, errAway.Error()},
		"the other":              {app.Examination{Reader: demo(t), Against: otherwise{Source: demo(t).Source, block: fails(23)}}, 3, "the other gateway: " + errAway.Error()},
		"the other's multiplier": {app.Examination{Reader: dynamic(t), Against: otherwise{Source: demo(t).Source, multiplier: func(uint64) error { return errAway }}}, 0, "the other gateway: " + errAway.Error()},
		"balances":               {app.Examination{Reader: with(noBalance), Accounts: []chain.Address{address(t, alith)}}, 2, errAway.Error()},
		"opening balances":       {app.Examination{Reader: with(noFirst), Accounts: []chain.Address{address(t, alith)}}, 0, errAway.Error()},
		"the node":               {app.Examination{Reader: demo(t), Node: encoded{err: errAway}}, 0, errAway.Error()},
		"the node's chain":       {app.Examination{Reader: demo(t), Node: encoded{err: chain.ErrNoBlock}}, 0, "the node does not have the gateway's block "},
	} {
		t.Run(name, func(t *testing.T) {
			summary, _, err := examined(t, chain.Heights{First: 20, Last: 27}, c.e)
			require.ErrorContains(t, err, c.error)
			require.Equal(t, c.blocks, summary.Blocks)
		})
	}
	summary, err := app.Examine(t.Context(), chain.Heights{First: 20, Last: 27}, app.Examination{Reader: demo(t)}, func(r *evidence.Report) error {
		if r.Number == 22 {
			return errAway
		}
		return nil
	})
	require.ErrorIs(t, err, errAway, "the callback may stop the examination")
	require.Equal(t, 3, summary.Blocks)
}

// dynamic reads the demo by rules that look at the multiplier.
func dynamic(t *testing.T) *source.Reader {
	tables, err := app.ReadTables(write(t, "mine.json", `{"networks": [{"name": "moonbeam", "symbol": "GLMR", "last_runtime": 4500, "first_withdraw_event": 1201,
		"first_fee_event": 1801, "rows": [{"from_runtime": 900, "base_fee_constant": "100000000000", "minimum_multiplier": "1", "source": "a test"}]}]}`))
	require.NoError(t, err)
	r := demo(t)
	r.Tables = tables
	return r
}

// hashes is a node that says of each block the same hash.
type hashes struct {
	hash chain.Hash
	err  error
}

func (h hashes) BlockHash(context.Context, uint64) (chain.Hash, error) { return h.hash, h.err }

// A node and a gateway are of one chain where their blocks 0 are one, or, where the gateway
// lacks that, their newest; if one cannot answer, the result is unknown.
func TestSameChain(t *testing.T) {
	src := demo(t).Source
	zero, err := src.Block(t.Context(), 0)
	require.NoError(t, err)
	head, err := src.Head(t.Context(), false)
	require.NoError(t, err)
	late := otherwise{Source: src, block: func(b *chain.Block) error {
		if b.Number == 0 {
			return chain.ErrNotKept
		}
		return nil
	}}
	for name, c := range map[string]struct {
		source source.Source
		node   hashes
		known  bool
		error  string
	}{
		"one":               {src, hashes{hash: zero.Hash}, true, ""},
		"one by the newest": {late, hashes{hash: head.Hash}, true, ""},
		"two":               {src, hashes{hash: head.Hash}, true, "the node at N and the gateway at G are on different chains: block 0 is " + head.Hash.String() + " on the node and " + zero.Hash.String() + " on the gateway"},
		"two by the newest": {late, hashes{hash: zero.Hash}, true, "block 27 is "},
		"no node":           {src, hashes{err: errAway}, false, ""},
		"no gateway":        {away{late}, hashes{hash: zero.Hash}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			known, err := (&app.SameChain{Source: c.source, Node: c.node, Place: "G", NodeAt: "N"}).Check(t.Context())
			require.Equal(t, c.known, known)
			if c.error == "" {
				require.NoError(t, err)
				return
			}
			var other *app.OtherChainError
			require.ErrorAs(t, err, &other)
			require.ErrorContains(t, err, c.error)
		})
	}
}
