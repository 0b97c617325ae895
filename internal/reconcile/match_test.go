package reconcile_test

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
)

// A file of all sent transactions with the charged amounts reconciles to the last wei: by hash and by ID, in wei and in
// tokens, with either decimal separator, as csv and as xlsx.
func TestAllReconcile(t *testing.T) {
	for name := range lasts {
		list := allSent(t, name)
		inTokens, byPlace, comma := grid{{"hash", "fee (GLMR)"}}, grid{{"Extrinsic ID", "Fee", "date"}}, grid{{"Extrinsic hash", "Gas fee [GLMR]", "from"}}
		for _, s := range list {
			inTokens = append(inTokens, []string{s.hash(), s.token()})
			byPlace = append(byPlace, []string{s.place(), s.Charged, "2026-01-01"})
			comma = append(comma, []string{s.XtHash, strings.ReplaceAll(s.token(), ".", ","), s.From})
		}
		glmr := reconcile.Options{Symbol: "GLMR"}
		for form, c := range map[string]struct {
			text    string
			options reconcile.Options
		}{
			"wei, comma":           {weiGrid(list).csv(','), reconcile.Options{}},
			"wei, xlsx":            {weiGrid(list).xlsx(t, nil), reconcile.Options{}},
			"token, tab":           {inTokens.csv('\t'), glmr},
			"token, xlsx":          {inTokens.xlsx(t, nil), glmr},
			"place, semicolon":     {byPlace.csv(';'), reconcile.Options{Unit: reconcile.Wei}},
			"place, xlsx":          {byPlace.xlsx(t, nil), reconcile.Options{Unit: reconcile.Wei}},
			"token, decimal comma": {comma.csv(';'), reconcile.Options{Symbol: "GLMR", Decimal: ','}},
			"the same, xlsx":       {comma.xlsx(t, nil), reconcile.Options{Symbol: "GLMR", Decimal: ',', Thousands: '.'}},
		} {
			if !tier.Takes(name + form) {
				continue
			}
			t.Run(name+", "+form, func(t *testing.T) {
				c.options.Accounts = payers(t, list)
				r := match(t, book(t, name), read(t, c.text, c.options), c.options)
				require.Equal(t, map[reconcile.Outcome]int{reconcile.Matched: len(list)}, counts(r))
				require.Equal(t, chain.Some(true), r.Reconciled())
				require.Equal(t, total(list), r.Total.Books.String())
				require.Equal(t, chain.Some(wei(t, total(list))), r.Total.Chain)
				require.Equal(t, chain.Some(chain.SignedWei{}), r.Total.Difference)
			})
		}
	}
}

// One row with each kind of error: each is reported, and nothing else.
func TestTroubleIsNamed(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	g := weiGrid(list)
	charged := g[11][1]
	require.Greater(t, len(charged), 10)
	g[11][1] = charged[:len(charged)-1] + string('0'+'9'-charged[len(charged)-1]) // another last digit
	changed := wei(t, g[11][1]).Difference(wei(t, charged))
	require.NotZero(t, changed.Sign())
	doubled := slices.Clone(g[21])
	g[31][2] = list[0].From // another account
	require.NotEqual(t, list[0].From, list[30].From)
	foreign := []string{"0x" + strings.Repeat("ab", 32), "21000", list[0].From, ""}
	g = append(slices.Delete(g, 41, 42), doubled, foreign) // the 41st is missing
	o := reconcile.Options{Accounts: payers(t, list)}
	r := match(t, book(t, "moonbeam-2100"), read(t, g.csv(','), o), o)
	require.NotEqual(t, chain.Some(true), r.Reconciled())
	require.Equal(t, map[reconcile.Outcome]int{
		reconcile.Matched: len(list) - 3, reconcile.AmountDiffers: 1, reconcile.PayerDiffers: 1,
		reconcile.Duplicate: 1, reconcile.OnlyInBooks: 1, reconcile.OnlyOnChain: 1,
	}, counts(r))
	for _, item := range items(t, r) {
		at, _ := item.Transaction.Get()
		switch item.Outcome {
		case reconcile.AmountDiffers:
			require.Equal(t, 12, item.Row.Line) // the header is line 1
			require.Equal(t, chain.Some(changed), item.Difference)
			require.Equal(t, chain.Some(wei(t, charged)), item.Chain)
			require.Equal(t, list[10].place(), at.Place.String())
		case reconcile.PayerDiffers:
			require.Equal(t, 32, item.Row.Line)
			require.Equal(t, []string{list[30].From + " paid, not " + list[0].From}, item.Notes)
		case reconcile.Duplicate:
			require.Equal(t, len(list)+1, item.Row.Line)
			require.Equal(t, []string{"line 22 names the same transaction"}, item.Notes)
			require.Equal(t, list[20].place(), at.Place.String())
			require.Equal(t, doubled[1], difference(item))
		case reconcile.OnlyInBooks:
			require.Equal(t, len(list)+2, item.Row.Line)
			require.Equal(t, "21000", difference(item))
			require.False(t, item.Transaction.Known())
		case reconcile.OnlyOnChain:
			require.Nil(t, item.Row)
			require.Equal(t, list[40].place(), at.Place.String())
			require.Equal(t, "-"+list[40].Charged, difference(item))
		}
	}
	onChain := wei(t, total(list))
	require.Equal(t, chain.Some(onChain), r.Total.Chain)
	require.Equal(t, chain.Some(r.Total.Books.Difference(onChain)), r.Total.Difference)

	// A tolerance equal to the difference accepts it; one wei less does not.
	o.Tolerance = changed.Size()
	require.Zero(t, sum(t, match(t, book(t, "moonbeam-2100"), read(t, g.csv(','), o), o), reconcile.AmountDiffers).Count)
	less, err := changed.Size().Sub(chain.NewWei(1))
	require.NoError(t, err)
	o.Tolerance = less
	require.Equal(t, 1, sum(t, match(t, book(t, "moonbeam-2100"), read(t, g.csv(','), o), o), reconcile.AmountDiffers).Count)
}

// difference returns an item's difference as text.
func difference(i reconcile.Item) string {
	d, _ := i.Difference.Get()
	return d.String()
}

// A row whose hash and ID belong to two transactions, or whose hash has several, is ambiguous; an ID selects one of several.
func TestAmbiguous(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	b := book(t, "moonbeam-2100")
	text := "hash,id,fee_wei\n" + list[0].hash() + "," + list[1].place() + "," + list[0].Charged + "\n"
	o := reconcile.Options{Columns: map[reconcile.Field]string{reconcile.ID: "id"}, Accounts: payers(t, list[:1])}
	r := match(t, b, read(t, text, o), o)
	require.Equal(t, reconcile.Ambiguous, items(t, r)[0].Outcome)
	require.Equal(t, []string{"it names " + list[0].place() + ", but with another ID"}, items(t, r)[0].Notes)
	require.Equal(t, []string{"line 2 may refer to it"}, items(t, r)[1].Notes)
	require.Equal(t, reconcile.OnlyOnChain, items(t, r)[1].Outcome)

	first, second := native(list)[0], native(list)[1]
	same := &sameHash{Book: b, hash: first.XtHash, places: []string{first.place(), second.place()}}
	text = "Extrinsic hash,fee_wei\n" + first.XtHash + "," + first.Charged + "\n"
	r = match(t, same, read(t, text, reconcile.Options{}), reconcile.Options{})
	require.Equal(t, map[reconcile.Outcome]int{reconcile.Ambiguous: 1}, counts(r))
	require.Equal(t, []string{"it names several transactions: " + first.place() + ", " + second.place()}, items(t, r)[0].Notes)

	text = "Extrinsic hash,Extrinsic ID,fee_wei\n" + first.XtHash + "," + second.place() + "," + second.Charged + "\n"
	r = match(t, same, read(t, text, reconcile.Options{}), reconcile.Options{})
	require.True(t, r.Agrees())

	same.places = slices.Repeat(same.places, 20)
	text = "Extrinsic hash,fee_wei\n" + first.XtHash + "," + first.Charged + "\n"
	r = match(t, same, read(t, text, reconcile.Options{}), reconcile.Options{})
	require.Contains(t, items(t, r)[0].Notes[0], "it names many transactions")
}

// native returns the transactions that are not EVM transactions.
func native(list []*sent) (found []*sent) {
	for _, s := range list {
		if s.EthHash == "" {
			found = append(found, s)
		}
	}
	return found
}

// sameHash is a ledger in which several extrinsics have one hash, which happens on the chain when an account was emptied
// and started again.
type sameHash struct {
	reconcile.Book
	hash   string
	places []string
}

func (s *sameHash) TransactionsByHash(ctx context.Context, _ ...chain.Hash) iter.Seq2[*ledger.Transaction, error] {
	return func(yield func(*ledger.Transaction, error) bool) {
		for _, text := range s.places {
			p, ok := ledger.ParsePlace(text)
			if !ok {
				yield(nil, errors.New(text))
				return
			}
			for x, err := range s.Book.TransactionsAt(ctx, p) {
				if err == nil {
					x.Hash, err = chain.ParseHash(s.hash)
				}
				if !yield(x, err) || err != nil {
					return
				}
			}
		}
	}
}

// changed is a ledger in which every transaction is changed.
type changed struct {
	reconcile.Book
	change func(*ledger.Transaction)
}

func (c *changed) by(rows iter.Seq2[*ledger.Transaction, error]) iter.Seq2[*ledger.Transaction, error] {
	return func(yield func(*ledger.Transaction, error) bool) {
		for t, err := range rows {
			if err == nil {
				c.change(t)
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

func (c *changed) TransactionsByHash(ctx context.Context, hashes ...chain.Hash) iter.Seq2[*ledger.Transaction, error] {
	return c.by(c.Book.TransactionsByHash(ctx, hashes...))
}

func (c *changed) Transactions(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transaction, error] {
	return c.by(c.Book.Transactions(ctx, q))
}

// An unknown fee never matches, on either side.
func TestUndetermined(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	b := &changed{book(t, "moonbeam-2100"), func(x *ledger.Transaction) {
		x.Fee, x.Charged, x.Error = chain.Optional[chain.Wei]{}, chain.Optional[chain.Wei]{}, "no rule"
	}}
	o := reconcile.Options{Accounts: payers(t, list[:1]), Tolerance: wei(t, "340282366920938463463374607431768211455")}
	r := match(t, b, read(t, weiGrid(list[:1]).csv(','), o), o)
	require.Equal(t, reconcile.Undetermined, items(t, r)[0].Outcome)
	require.Equal(t, []string{"its fee is undetermined: no rule"}, items(t, r)[0].Notes)
	require.False(t, items(t, r)[0].Difference.Known())
	paid := 0
	for _, s := range list {
		if s.From == list[0].From {
			paid++
		}
	}
	require.Equal(t, map[reconcile.Outcome]int{reconcile.Undetermined: 1, reconcile.OnlyOnChain: paid - 1}, counts(r))
	require.Equal(t, []string{"its fee is undetermined: no rule"}, items(t, r)[1].Notes)
	require.NotEqual(t, chain.Some(true), r.Reconciled())
	// A sum that includes it is unknown; an empty sum is not.
	for _, s := range []reconcile.Sum{sum(t, r, reconcile.Undetermined), sum(t, r, reconcile.OnlyOnChain), r.Total} {
		require.False(t, s.Chain.Known(), s.Outcome)
		require.False(t, s.Difference.Known(), s.Outcome)
	}
	require.Equal(t, list[0].Charged, r.Total.Books.String())
	require.Equal(t, chain.Some(chain.Wei{}), sum(t, r, reconcile.Matched).Chain)
}

// The chain's side is the charged amount, which fees export writes: for a drifting fee, the exported amount matches, and the
// fee by the rules does not. Without a recorded charge, the fee by the rules is used in both.
func TestChargedIsTheChainsSide(t *testing.T) {
	list := allSent(t, "moonbeam-2100")[:1]
	one := chain.NewWei(1)
	byRule := wei(t, list[0].Charged)
	charged, err := byRule.Add(one)
	require.NoError(t, err)
	drifting := func(x *ledger.Transaction) { x.Verdict, x.Charged = evidence.Drift, chain.Some(charged) }
	o := reconcile.Options{Accounts: payers(t, list), Period: heights(list[0].Height, list[0].Height)}
	for name, c := range map[string]struct {
		change     func(*ledger.Transaction)
		books      chain.Wei
		outcome    reconcile.Outcome
		chain      chain.Wei
		difference string
		note       string
	}{
		"what was exported":      {drifting, charged, reconcile.Matched, charged, "0", "the fee by the rules is " + byRule.String() + " wei, but " + charged.String() + " was charged"},
		"what the rules say":     {drifting, byRule, reconcile.AmountDiffers, charged, "-1", "the fee by the rules is " + byRule.String() + " wei, but " + charged.String() + " was charged"},
		"no rule":                {func(x *ledger.Transaction) { x.Fee, x.Error = chain.Optional[chain.Wei]{}, "too new" }, byRule, reconcile.Matched, byRule, "0", "its fee is undetermined (too new); the amount is what was charged"},
		"the chain says nothing": {func(x *ledger.Transaction) { x.Charged = chain.Optional[chain.Wei]{} }, byRule, reconcile.Matched, byRule, "0", "the chain recorded no charge; the amount is the fee by the rules"},
		"they are the same":      {func(*ledger.Transaction) {}, byRule, reconcile.Matched, byRule, "0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := &changed{book(t, "moonbeam-2100"), c.change}
			text := "hash,fee_wei\n" + list[0].hash() + "," + c.books.String() + "\n"
			r := match(t, b, read(t, text, o), o)
			require.Equal(t, c.outcome, items(t, r)[0].Outcome)
			require.Equal(t, chain.Some(c.chain), items(t, r)[0].Chain)
			require.Equal(t, c.difference, difference(items(t, r)[0]))
			require.Equal(t, c.note, strings.Join(items(t, r)[0].Notes, "; "))

			r = match(t, b, nil, o) // and where no row names it
			require.Equal(t, reconcile.OnlyOnChain, items(t, r)[0].Outcome)
			require.Equal(t, chain.Some(c.chain), items(t, r)[0].Chain)
			require.Equal(t, "-"+c.chain.String(), difference(items(t, r)[0]))
		})
	}
}

// Notes report drifts, blocks that are not final, and unknown payers.
func TestNotesOfARow(t *testing.T) {
	list := allSent(t, "moonbeam-2100")[:1]
	b := &changed{book(t, "moonbeam-2100"), func(x *ledger.Transaction) {
		x.Verdict, x.Charged, x.Final = "drift", chain.Some(chain.NewWei(5)), false
	}}
	r := match(t, b, read(t, weiGrid(list).csv(','), reconcile.Options{}), reconcile.Options{})
	require.Equal(t, []string{"the fee by the rules is " + list[0].Charged + " wei, but 5 was charged", "its block is not final"}, items(t, r)[0].Notes)
	b.change = func(x *ledger.Transaction) { x.Payer = chain.Optional[chain.Address]{} }
	r = match(t, b, read(t, weiGrid(list).csv(','), reconcile.Options{}), reconcile.Options{})
	require.Equal(t, reconcile.PayerDiffers, items(t, r)[0].Outcome)
	require.Equal(t, []string{"the payer is unknown"}, items(t, r)[0].Notes)

	// Without a column of accounts, the payer must be one of the company's accounts.
	o := reconcile.Options{Accounts: payers(t, allSent(t, "moonbeam-2100")[1:2])}
	text := "hash,fee_wei\n" + list[0].hash() + "," + list[0].Charged + "\n"
	r = match(t, book(t, "moonbeam-2100"), read(t, text, o), o)
	require.Equal(t, reconcile.PaidByAnother, items(t, r)[0].Outcome)
	require.Equal(t, []string{"paid by another account, " + list[0].From}, items(t, r)[0].Notes)
}

// A transaction without a fee need not be in the books.
func TestWithoutAFee(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	free := slices.IndexFunc(list, func(s *sent) bool { return s.Charged == "0" })
	require.GreaterOrEqual(t, free, 0)
	o := reconcile.Options{Accounts: payers(t, list)}
	r := match(t, book(t, "moonbeam-2100"), read(t, weiGrid(slices.Delete(slices.Clone(list), free, free+1)).csv(','), o), o)
	require.Equal(t, chain.Some(true), r.Reconciled())
	require.Equal(t, []string{"1 transaction without a fee is not in the books, which makes no difference."}, r.Notes)
}

// A period limits the search, and a row of a transaction outside it does not match.
func TestPeriod(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	b := book(t, "moonbeam-2100")
	within := func(first, last uint64) (found []*sent) {
		for _, s := range list {
			if s.Height >= first && s.Height <= last {
				found = append(found, s)
			}
		}
		return found
	}
	o := reconcile.Options{Accounts: payers(t, list), Period: heights(5, 9)}
	r := match(t, b, read(t, weiGrid(within(5, 9)).csv(','), o), o)
	require.Equal(t, chain.Some(true), r.Reconciled())
	require.Equal(t, chain.Some(chain.Heights{First: 5, Last: 9}), r.Span)

	r = match(t, b, read(t, weiGrid(within(4, 8)).csv(','), o), o)
	require.Equal(t, map[reconcile.Outcome]int{
		reconcile.OutsidePeriod: len(within(4, 4)), reconcile.Matched: len(within(5, 8)), reconcile.OnlyOnChain: len(within(9, 9)),
	}, counts(r))

	// By time: block 25 is at 00:04:48, and the recorded blocks are 12 seconds apart.
	o.Period = times(t, "2026-01-01T00:04:48Z", "2026-01-01T00:05:00Z")
	r = match(t, b, read(t, weiGrid(within(25, 25)).csv(','), o), o)
	require.Equal(t, chain.Some(true), r.Reconciled())
	require.Equal(t, chain.Some(chain.Heights{First: 25, Last: 25}), r.Span)
	require.Equal(t, len(within(25, 25)), r.Total.Count)

	// Beyond the ledger's end. The recorded block 1 was made in November: the blocks between it and block 25 are outside the
	// period.
	o.Period, o.Partial = times(t, "2026-01-01T00:04:48Z", "2027-01-01T00:00:00Z"), true
	r = match(t, b, read(t, weiGrid(within(25, 27)).csv(','), o), o)
	require.True(t, r.Agrees())
	require.False(t, r.Complete(), "the ledger has only a part of the period")
	require.Equal(t, chain.Some(chain.Heights{First: 1, Last: 27}), r.Span)
}

// A ledger that lacks a part of the period is rejected, or the result says so. It contains blocks 10 (00:01:48) to 20
// (00:03:48): the blocks next to a period of times show that it is covered.
func TestNotCovered(t *testing.T) {
	ctx := context.Background()
	list := allSent(t, "moonbeam-2100")
	part := filled(t, filepath.Join(t.TempDir(), "part.db"), "moonbeam-2100", chain.Heights{First: 10, Last: 20})
	t.Cleanup(func() { part.Close() })
	for name, c := range map[string]struct {
		period chain.Optional[ledger.Period]
		lacks  string // "" if nothing
	}{
		"all of it":       {chain.Optional[ledger.Period]{}, ""},
		"within":          {heights(10, 20), ""},
		"one below":       {heights(9, 20), "blocks 9..9: the ledger starts at block 10"},
		"one above":       {heights(10, 21), "blocks 21..21: the ledger is sealed up to block 20"},
		"elsewhere":       {times(t, "2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z"), "its beginning: the ledger starts at block 10 (2026-01-01T00:01:48Z)"},
		"begins too late": {times(t, "2026-01-01T00:01:48Z", "2026-01-01T00:03:00Z"), "its beginning: the ledger starts at block 10 (2026-01-01T00:01:48Z)"},
		"ends too early":  {times(t, "2026-01-01T00:02:00Z", "2026-01-01T00:03:49Z"), "its end: the ledger is sealed up to block 20 (2026-01-01T00:03:48Z)"},
		"within, by time": {times(t, "2026-01-01T00:01:49Z", "2026-01-01T00:03:48Z"), ""},
		"neither end": {times(t, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
			"its beginning: the ledger starts at block 10 (2026-01-01T00:01:48Z); its end: the ledger is sealed up to block 20 (2026-01-01T00:03:48Z)"},
	} {
		t.Run(name, func(t *testing.T) {
			o := reconcile.Options{Period: c.period}
			rows := read(t, weiGrid(list[:1]).csv(','), o)
			r, err := reconcile.Match(ctx, part, each(rows), o)
			if c.lacks == "" {
				require.NoError(t, err)
				require.NotContains(t, r.Notes[0], "Known part")
				return
			}
			require.ErrorIs(t, err, reconcile.ErrNotCovered)
			require.ErrorContains(t, err, "it lacks "+c.lacks)
			o.Partial = true
			r, err = reconcile.Match(ctx, part, each(rows), o)
			require.NoError(t, err)
			require.Equal(t, "Known part: the ledger does not cover the period; it lacks "+c.lacks+".", r.Notes[0])
			require.Equal(t, reconcile.OnlyInBooks, items(t, r)[0].Outcome) // block 3 is not there
			require.Equal(t, "1 of 1 do not match; completeness not checked; the ledger lacks part of the period", r.Headline())
		})
	}
	_, err := reconcile.Match(ctx, part, each(nil), reconcile.Options{Period: heights(7, 6)})
	require.ErrorIs(t, err, ledger.ErrPeriod)
	require.NotErrorIs(t, err, reconcile.ErrNotCovered)
	// An ID outside the ledger is reported as such.
	rows := read(t, "Extrinsic ID,fee_wei\n3-4,5\n", reconcile.Options{})
	r := match(t, part, rows, reconcile.Options{})
	require.Equal(t, []string{"block 3 was not compared"}, items(t, r)[0].Notes)
}

// An empty ledger is rejected.
func TestLedgerIsNotReady(t *testing.T) {
	ctx := context.Background()
	b, err := ledger.OpenWriter(ctx, filepath.Join(t.TempDir(), "new.db"))
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	_, err = reconcile.Match(ctx, b, each(nil), reconcile.Options{})
	require.ErrorIs(t, err, ledger.ErrNone)
	require.NoError(t, b.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 0))
	_, err = reconcile.Match(ctx, b, each(nil), reconcile.Options{Partial: true}) // of all that is sealed, and nothing is
	require.ErrorIs(t, err, ledger.ErrNone)
	_, err = reconcile.Match(ctx, b, each(nil), reconcile.Options{Period: heights(0, 9)})
	require.ErrorIs(t, err, reconcile.ErrNotCovered)
	rows := read(t, "Extrinsic ID,fee_wei\n0-4,5\n", reconcile.Options{})
	accounts := payers(t, allSent(t, "moonbeam-2100")[:1])
	r := match(t, b, rows, reconcile.Options{Period: heights(0, 9), Partial: true, Accounts: accounts})
	require.Equal(t, []string{"Known part: the ledger does not cover the period; it lacks all of it: no block is sealed yet."}, r.Notes)
	require.Equal(t, []string{"block 0 was not compared"}, items(t, r)[0].Notes)
	_, err = reconcile.Match(ctx, b, each(nil), reconcile.Options{Unit: "ether"})
	require.ErrorContains(t, err, "--unit")

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = reconcile.Match(cancelled, book(t, "moonbeam-2100"), each(nil), reconcile.Options{})
	require.ErrorIs(t, err, context.Canceled)
}
