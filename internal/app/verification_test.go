package app_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

func verified(t *testing.T, place string, against *source.Reader) *app.Verification {
	t.Helper()
	o := app.VerifyOptions{Place: place, Program: "a test"}
	if against != nil {
		o.Against = &app.FillOptions{Reader: against}
	}
	v, err := app.Verify(t.Context(), o)
	require.NoError(t, err)
	return v
}

// A ledger that is what the source says is verified whole, its gaps left out.
func TestVerify(t *testing.T) {
	v := verified(t, copied(t), demo(t))
	require.NoError(t, v.Err())
	require.Equal(t, []uint64{28, 28}, []uint64{v.Blocks, v.Compared})
	require.Empty(t, v.Damage)
	require.Zero(t, v.Differing()+v.Rejudged()+v.Answered)

	place := file(t)
	for _, part := range []string{"0..5", "10..15", "20..27"} {
		_, err := app.Sync(t.Context(), place, blocks(t, part), app.FillOptions{Reader: demo(t)})
		require.NoError(t, err)
	}
	var shown, total, ends uint64
	v, err := app.Verify(t.Context(), app.VerifyOptions{Place: place, Against: &app.FillOptions{Reader: demo(t),
		Progress: app.Progress{Show: func(done, of uint64) { shown, total = done, of }, End: func() { ends++ }}}})
	require.NoError(t, err)
	require.NoError(t, v.Err())
	require.Equal(t, []uint64{20, 20, 20, 1}, []uint64{v.Compared, shown, total, ends})
	require.Zero(t, v.Differing())
}

// otherWithdraw alters 25-4: Alith was charged 7 × 10^15 wei.
func otherWithdraw(b *chain.Block) error {
	if b.Number != 25 {
		return nil
	}
	x := &b.Extrinsics[4]
	x.Events = append([]chain.Event{}, x.Events...)
	for i := range x.Events {
		if x.Events[i].Is("balances", "Withdraw") {
			seven := chain.NewWei(7_000_000_000_000_000)
			x.Events[i].Data = chain.Values{x.Events[i].Data.At(0), chain.NumberValue(seven.Word())}
			return nil
		}
	}
	return errAway
}

// What the chain recorded otherwise is damage, of the ledger or of the gateway.
func TestVerifyAgainstOtherFacts(t *testing.T) {
	reader := demo(t)
	reader.Source = otherwise{Source: reader.Source, block: otherWithdraw}
	v := verified(t, copied(t), reader)
	require.Equal(t, failure.Damaged, app.KindOf(v.Err()))
	require.ErrorContains(t, v.Err(), fmt.Sprintf("or the gateway is wrong: %d values differ", v.Differing()-v.Rejudged()))
	for _, x := range v.Differences {
		require.EqualValues(t, 25, x.Height)
	}
	require.Nil(t, v.NotKept)
}

// otherRules price the demo by a base fee of their own.
func otherRules(t *testing.T) *source.Reader {
	tables, err := app.ReadTables(write(t, "mine.json", `{"networks": [{"name": "moonbeam", "symbol": "GLMR", "last_runtime": 4500, "first_withdraw_event": 1201,
		"first_fee_event": 1801, "rows": [{"from_runtime": 900, "static_base_fee": "100000000001", "source": "a test"}]}]}`))
	require.NoError(t, err)
	reader := demo(t)
	reader.Tables = tables
	return reader
}

// A changed judgement is not damage: the ledger stores it beside the old one.
// Where another program writes it, that is said, and the rest is shown.
func TestVerifyByOtherRules(t *testing.T) {
	place := copied(t)
	seal := sealOf(t, place)
	writer, err := app.OpenWriter(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	v := verified(t, place, otherRules(t))
	require.NotNil(t, v.NotKept)
	require.Contains(t, *v.NotKept, "ledger "+place+": ")
	require.NoError(t, v.Err())
	count := v.Rejudged()
	require.NoError(t, writer.Close())
	noted := func() (n int) {
		t.Helper()
		db, err := sql.Open("sqlite", place)
		require.NoError(t, err)
		defer db.Close()
		require.NoError(t, db.QueryRow("SELECT count(*) FROM rejudgements WHERE program = 'a test'").Scan(&n))
		return n
	}
	require.Zero(t, noted())

	v = verified(t, place, otherRules(t))
	require.Nil(t, v.NotKept)
	require.NoError(t, v.Err())
	require.Equal(t, count, v.Rejudged())
	require.Equal(t, count, v.Differing())
	evm := 0 // a higher base fee is a lower priority fee, or a fee that drifts
	for _, s := range allSent(t) {
		if s.Family == "evm" {
			evm++
		}
	}
	require.GreaterOrEqual(t, count, evm)
	require.Equal(t, count, noted())
	require.Equal(t, seal, sealOf(t, place), "what was judged then stays")
}

// What a gateway did not answer when the ledger was filled is taken over when it does.
func TestVerifyAnswersWhatWasMissing(t *testing.T) {
	reader, place := demo(t), file(t)
	reader.Source = otherwise{Source: reader.Source, multiplier: func(at uint64) error {
		if at == 27 {
			return &source.TemporaryError{Err: errAway}
		}
		return nil
	}}
	_, err := app.Sync(t.Context(), place, blocks(t, "0..27"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	require.EqualValues(t, 1, statusOf(t, place).Unanswered)
	v := verified(t, place, demo(t))
	require.NoError(t, v.Err())
	require.Equal(t, 1, v.Answered)
	require.Zero(t, v.Differing())
	require.Zero(t, statusOf(t, place).Unanswered)
	require.Zero(t, verified(t, place, demo(t)).Answered)
}

// A source that goes away, and a ledger that is none, keep it from being verified.
func TestVerifyThatCannotBe(t *testing.T) {
	reader := demo(t)
	reader.Source = otherwise{Source: reader.Source, block: func(b *chain.Block) error {
		if b.Number == 20 {
			return errAway
		}
		return nil
	}}
	o := app.VerifyOptions{Place: copied(t), Against: &app.FillOptions{Reader: reader}}
	v, err := app.Verify(t.Context(), o)
	require.ErrorIs(t, err, errAway)
	require.EqualValues(t, 28, v.Blocks, "its own seals were verified")
	_, err = app.Verify(t.Context(), app.VerifyOptions{Place: file(t)})
	require.Equal(t, failure.NotFound, app.KindOf(err))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = app.Verify(ctx, o)
	require.Equal(t, failure.Stopped, app.KindOf(err), "%v", err)

	place := copied(t)
	alter(t, place, "UPDATE transactions SET fee = '1'")
	v = verified(t, place, nil)
	require.NotZero(t, v.Damages)
	require.ErrorContains(t, v.Err(), fmt.Sprintf("in %d places; restore a backup, or fill a new ledger", v.Damages))
}
