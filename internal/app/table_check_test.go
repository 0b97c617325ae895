package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
	"github.com/feeledger/fees/source"
)

// ownTable reads the demo by a user's file: the built-in table, changed.
func ownTable(t *testing.T, change func(*network.Network)) *source.Reader {
	t.Helper()
	n, ok := network.BuiltIn().Named("moonbeam")
	require.True(t, ok)
	text, err := json.Marshal(map[string]any{"networks": []*network.Network{n}})
	require.NoError(t, err)
	var file struct {
		Networks []*network.Network `json:"networks"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	change(file.Networks[0])
	text, err = json.Marshal(file)
	require.NoError(t, err)
	tables, err := app.ReadTables(write(t, "own.json", string(text)))
	require.NoError(t, err)
	r := demo(t)
	r.Tables = tables
	return r
}

// whole is all of the demo but block 2, whose time is a finding, and those before.
var whole = chain.Heights{First: 3, Last: 27}

func tableChecked(t *testing.T, blocks chain.Heights, e app.Examination) *app.TableCheck {
	t.Helper()
	shown := uint64(0)
	c, err := app.CheckTable(t.Context(), blocks, e, app.Progress{Show: func(done, total uint64) {
		shown = done
		require.Equal(t, blocks.Last-blocks.First+1, total)
	}, End: func() {}})
	require.NoError(t, err)
	require.Equal(t, blocks.Last-blocks.First+1, shown)
	require.Equal(t, blocks, c.Blocks)
	return c
}

// rowAt is the row of a list that holds for the demo's runtime.
func rowAt(t *testing.T, c *app.TableCheck, list string) *app.RowCheck {
	t.Helper()
	for i := range c.Rows {
		if r := &c.Rows[i]; r.List == list && r.Has(2100) {
			return r
		}
	}
	t.Fatalf("no row of %s", list)
	return nil
}

// The built-in table is proved by the demo: each row of its runtime, and no other.
func TestCheckTable(t *testing.T) {
	c := tableChecked(t, whole, app.Examination{Reader: ownTable(t, func(*network.Network) {}), Signatures: true})
	require.True(t, c.Holds())
	require.Zero(t, c.Others)
	require.Nil(t, c.FirstOther)
	want := map[string]app.RowVerdict{
		rule.PriceList: app.RowProved, rule.DestinationList: app.RowProved, rule.MultiplierUpdateList: app.RowProved,
		rule.NativeFeeList: app.RowUnchecked, rule.ExistentialDepositList: app.RowUnchecked,
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		require.Nil(t, r.First)
		if !r.Has(2100) {
			require.Equal(t, app.RowUnseen, r.Verdict(), "%+v", r)
			require.Zero(t, r.Blocks+r.Held+r.Broken)
			require.Empty(t, r.WhyNot())
			continue
		}
		require.Equal(t, want[r.List], r.Verdict(), "%+v", r)
		require.Equal(t, 25, r.Blocks)
		delete(want, r.List)
	}
	require.Empty(t, want, "each list has one")
	require.Equal(t, "only a node has the encoded extrinsics (--node)", rowAt(t, c, rule.NativeFeeList).WhyNot())
	require.Equal(t, "these blocks prove nothing about it", rowAt(t, c, rule.ExistentialDepositList).WhyNot())

	// Every transaction was sent while recording the demo: those of type 2 whose price
	// is less than their maxFeePerGas prove the base fee, and all prove where fees go.
	_, count := charges(t, func(s sent) bool { return s.Height >= whole.First })
	require.EqualValues(t, count, rowAt(t, c, rule.DestinationList).Held)
	require.Less(t, uint64(rowAt(t, c, rule.PriceList).Held), count)
	require.Equal(t, 25, rowAt(t, c, rule.MultiplierUpdateList).Held)
}

// Failures due to a wrong row are reported at that row, with the first one.
func TestCheckTableContradicts(t *testing.T) {
	for name, c := range map[string]struct {
		list, check string
		change      func(*network.Network)
	}{
		"base fee": {rule.PriceList, "evm.cash", func(n *network.Network) {
			for i := range n.Rows {
				if n.Rows[i].StaticBaseFee != nil {
					price := chain.NewGasPrice(99_000_000_000)
					n.Rows[i].StaticBaseFee = &price
				}
			}
		}},
		"weight per gas": {rule.PriceList, "evm.weight", func(n *network.Network) {
			for i := range n.Rows {
				n.Rows[i].WeightPerGas = 66_666
			}
		}},
		"destinations": {rule.DestinationList, "evm.split", func(n *network.Network) {
			for i := range n.Destinations {
				if d := &n.Destinations[i]; !d.Unknown {
					d.EVMBase, d.EVMPriority = "treasury_21", "treasury_21"
				}
			}
		}},
		"multiplier": {rule.MultiplierUpdateList, "block.multiplier", func(n *network.Network) {
			for i := range n.MultiplierUpdates {
				if u := &n.MultiplierUpdates[i]; u.Target > 0 {
					u.Target = 500_000
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			checked := tableChecked(t, whole, app.Examination{Reader: ownTable(t, c.change), Signatures: true})
			require.False(t, checked.Holds())
			require.Zero(t, checked.Others, "%v", checked.FirstOther)
			row := rowAt(t, checked, c.list)
			require.Equal(t, app.RowContradicted, row.Verdict())
			require.Positive(t, row.Broken)
			require.Equal(t, c.check, row.First.Check)
			require.GreaterOrEqual(t, row.First.Block, whole.First)
		})
	}
}

// A finding about no row, and one about a row that the table does not have, are told beside
// the rows, and no finding is lost.
func TestCheckTableFindsOthers(t *testing.T) {
	c := tableChecked(t, chain.Heights{First: 1, Last: 4}, app.Examination{Reader: ownTable(t, func(*network.Network) {})})
	require.False(t, c.Holds())
	require.Equal(t, 1, c.Others)
	require.Equal(t, "block.time", c.FirstOther.Check)
	for i := range c.Rows {
		require.Zero(t, c.Rows[i].Broken)
	}

	// An event of the treasury's without a credit breaks the split, of which this table says nothing.
	reader := ownTable(t, func(n *network.Network) { n.Destinations = nil })
	reader.Source = otherwise{Source: reader.Source, block: func(b *chain.Block) error {
		for i := range b.Extrinsics {
			x := &b.Extrinsics[i]
			for _, e := range x.Events {
				if e.Is("treasury", "Deposit") {
					x.Events = append([]chain.Event{e}, x.Events...)
					return nil
				}
			}
		}
		return nil
	}}
	c = tableChecked(t, chain.Heights{First: 25, Last: 25}, app.Examination{Reader: reader})
	_, err := app.Examine(t.Context(), chain.Heights{First: 25, Last: 25}, app.Examination{Reader: reader}, func(r *evidence.Report) error {
		require.NotEmpty(t, r.Findings)
		require.Contains(t, []string{"evm.split", "native.split"}, r.Findings[0].Check)
		require.Equal(t, len(r.Findings), c.Others)
		require.Equal(t, r.Findings[0], *c.FirstOther)
		return nil
	})
	require.NoError(t, err)
	require.False(t, c.Holds())
	for i := range c.Rows {
		require.NotEqual(t, rule.DestinationList, c.Rows[i].List)
	}
}

// What matches by any row proves none.
func TestCheckTableIsNotProvedByWhatTellsNothing(t *testing.T) {
	only := func(blocks chain.Heights, keep func(*chain.Extrinsic) bool) *app.TableCheck {
		reader := ownTable(t, func(*network.Network) {})
		reader.Source = otherwise{Source: reader.Source, block: func(b *chain.Block) error {
			var kept []chain.Extrinsic
			for _, x := range b.Extrinsics {
				if keep(&x) {
					x.Index = len(kept)
					kept = append(kept, x)
				}
			}
			b.Extrinsics = kept
			return nil
		}}
		return tableChecked(t, blocks, app.Examination{Reader: reader})
	}
	named := func(x *chain.Extrinsic) bool {
		payload, err := x.Ethereum()
		return err != nil || payload.Type == chain.Legacy
	}
	c := only(whole, named)
	row := rowAt(t, c, rule.PriceList)
	require.Equal(t, app.RowUnchecked, row.Verdict(), "%+v", row)
	require.Equal(t, "no transaction's price follows the base fee: each states its whole price, or pays its maxFeePerGas", row.WhyNot())

	c = only(whole, func(x *chain.Extrinsic) bool { return x.Pallet != "ethereum" })
	row = rowAt(t, c, rule.PriceList)
	require.Equal(t, app.RowUnchecked, row.Verdict())
	require.Equal(t, "these blocks prove nothing about it", row.WhyNot(), "there is no EVM transaction")
	require.Equal(t, app.RowProved, rowAt(t, c, rule.DestinationList).Verdict(), "native ones tell")

	// A multiplier that is at its minimum follows from many rows.
	bounded := func(n *network.Network) {
		for i := range n.MultiplierUpdates {
			if u := &n.MultiplierUpdates[i]; u.Target > 0 {
				u.Minimum = chain.NewMultiplier(1)
			}
		}
	}
	reader := ownTable(t, bounded)
	reader.Source = fixedMultiplier{reader.Source, 1}
	c = tableChecked(t, chain.Heights{First: 5, Last: 8}, app.Examination{Reader: reader})
	row = rowAt(t, c, rule.MultiplierUpdateList)
	require.Equal(t, app.RowUnchecked, row.Verdict(), "%+v", row)
	require.Equal(t, "the multiplier stays at its minimum or maximum", row.WhyNot())
}

// fixedMultiplier is a source in which the multiplier is always the same.
type fixedMultiplier struct {
	source.Source
	value uint64
}

func (f fixedMultiplier) Unwrap() source.Source { return f.Source }

func (f fixedMultiplier) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	m, err := f.Source.Multiplier(ctx, at)
	m.Value = chain.NewMultiplier(f.value)
	return m, err
}

// A fee that the table does not price, and a question that was not answered, are told.
func TestCheckTableTellsWhatItDoesNotKnow(t *testing.T) {
	reader := ownTable(t, func(*network.Network) {})
	reader.Source = otherwise{Source: reader.Source, multiplier: func(at uint64) error {
		if at == 27 {
			return &source.TemporaryError{Err: errors.New("busy")}
		}
		return nil
	}}
	c := tableChecked(t, chain.Heights{First: 26, Last: 27}, app.Examination{Reader: reader})
	require.True(t, c.Holds())
	require.Equal(t, 1, c.Unanswered)
	require.Equal(t, evidence.FailedRequest{About: evidence.AboutMultiplier, At: 27, Why: "busy"}, *c.FirstUnanswered)
	require.Equal(t, 1, rowAt(t, c, rule.MultiplierUpdateList).Held)

	reader = ownTable(t, func(*network.Network) {})
	reader.Source = otherwise{Source: reader.Source, block: func(b *chain.Block) error {
		for i := range b.Extrinsics {
			if x := &b.Extrinsics[i]; x.Pallet == "ethereum" {
				x.Events = nil
			}
		}
		return nil
	}}
	c = tableChecked(t, chain.Heights{First: 25, Last: 25}, app.Examination{Reader: reader})
	require.Positive(t, c.Undetermined)
	require.False(t, c.Holds())
}

// A file without a table for the blocks is refused with the first of them.
func TestCheckTableOfAnotherNetwork(t *testing.T) {
	shown := 0
	reader := demo(t)
	_, err := app.CheckTable(t.Context(), whole, app.Examination{Reader: reader}, app.Progress{Show: func(uint64, uint64) { shown++ }, End: func() {}})
	require.Zero(t, shown)
	require.ErrorIs(t, err, app.ErrNoTable)
	require.ErrorContains(t, err, "moonbeam")
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))

	reader = ownTable(t, func(*network.Network) {})
	reader.Source = otherwise{Source: reader.Source, block: func(*chain.Block) error { return errAway }}
	_, err = app.CheckTable(t.Context(), whole, app.Examination{Reader: reader}, app.Progress{})
	require.ErrorIs(t, err, errAway)
}

// The default range is all recorded blocks, or the newest blocks of a live chain.
func TestTableRange(t *testing.T) {
	r, err := app.TableRange(t.Context(), demo(t))
	require.NoError(t, err)
	require.Equal(t, chain.Heights{First: 3, Last: 27}, r)
	for head, want := range map[uint64]chain.Heights{
		5: {First: 0, Last: 5}, 98: {First: 0, Last: 98}, 99: {First: 0, Last: 99}, 100: {First: 1, Last: 100}, 1000: {First: 901, Last: 1000},
	} {
		made := chaingen.New(chaingen.Options{Head: head})
		r, err := app.TableRange(t.Context(), &source.Reader{Source: made.Source(), Tables: network.BuiltIn()})
		require.NoError(t, err)
		require.Equal(t, want, r)
	}
	for _, src := range []source.Source{headless{chaingen.New(chaingen.Options{}).Source()}, unkept{demo(t).Source}} {
		_, err := app.TableRange(t.Context(), &source.Reader{Source: src})
		require.ErrorIs(t, err, errAway)
	}
}

// headless is a source that does not tell its newest block, and unkept one that does not
// tell what it keeps.
type (
	headless struct{ source.Source }
	unkept   struct{ source.Source }
)

func (headless) FinalHead(context.Context) (chain.Head, error) { return chain.Head{}, errAway }

func (unkept) Kept() (none chain.Heights, err error) { return none, errAway }
