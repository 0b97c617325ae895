package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// SampleRequest requests a sample of the payments of accounts.
type SampleRequest struct {
	Request
	Size int
	Seed string
}

const (
	// MaxSample is the greatest size of a sample.
	MaxSample    = 10_000
	maxSeedBytes = 200
)

// Sample is a sample of the payments of a period. Everybody who knows the seed selects the same transactions:
// those with the lowest SHA-256 of seed, colon and transaction ID.
type Sample struct {
	Size       int
	Seed       string
	Population Population
	Chosen     Population
	export     *Export
	rows       []*sampled // in the order of their keys
}

// sampled is a payment with its place in the order of the sample.
type sampled struct {
	*journal.Payment
	key [sha256.Size]byte
}

// sampleKey returns the key of a transaction, which decides whether it is in the sample.
func sampleKey(seed, id string) [sha256.Size]byte { return sha256.Sum256([]byte(seed + ":" + id)) }

// Population contains the count and totals of a list of payments.
type Population struct {
	count, undetermined, uncharged uint64
	fee, charged                   chain.Wei
}

// Count returns the number of payments.
func (p *Population) Count() uint64 { return p.count }

// Fee returns the sum of the fees, without undetermined ones.
func (p *Population) Fee() chain.Wei { return p.fee }

func (p *Population) add(x *journal.Payment) (err error) {
	p.count++
	if fee, known := x.Fee.Get(); !known {
		p.undetermined++
	} else if p.fee, err = p.fee.Add(fee); err != nil {
		return err
	}
	if charged, known := x.Charged.Get(); !known {
		p.uncharged++
	} else {
		p.charged, err = p.charged.Add(charged)
	}
	return err
}

// addTo adds the counts and control totals; of is the prefix of their names.
func (p *Population) addTo(pairs *console.Pairs, of string, token console.Token) {
	pairs.Add(of+"transactions", fmt.Sprint(p.count))
	pairs.Add(of+"undetermined fees", fmt.Sprintf("%d, not in the totals", p.undetermined))
	addWei(pairs, of+"control total: fee", chain.Some(p.fee), token)
	addWei(pairs, of+"control total: charged", knownUnless(p.uncharged, p.charged), token)
}

// population adds up all payments, and calls each, if not nil, with every one.
func (x *Export) population(ctx context.Context, each func(*journal.Payment)) (p Population, err error) {
	for payment, err := range x.Payments.All(ctx) {
		if err == nil {
			err = p.add(payment)
		}
		if err != nil {
			return p, err
		}
		if each != nil {
			each(payment)
		}
	}
	return p, nil
}

// Sample selects a sample of the payments of a period: all of them if there are no more than its size.
func (d *Ledger) Sample(ctx context.Context, q SampleRequest) (*Sample, error) {
	switch {
	case q.Size < 1 || q.Size > MaxSample:
		return nil, notUnderstood("%v %d: want a number from 1 to %d", FieldSize, q.Size, MaxSample)
	case q.Seed == "" || len(q.Seed) > maxSeedBytes || plain.Line(q.Seed) != q.Seed:
		return nil, notUnderstood("%v: want a text of 1 to %d bytes without control characters; an auditor chooses it", FieldSeed, maxSeedBytes)
	}
	x, err := d.Export(ctx, ExportRequest{Request: q.Request, With: WithFees})
	if err != nil {
		return nil, err
	}
	s := &Sample{Size: q.Size, Seed: q.Seed, export: x}
	if s.Population, err = x.population(ctx, s.take); err != nil {
		return nil, x.Explain(err)
	}
	for _, r := range s.rows {
		if err := s.Chosen.add(r.Payment); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// take takes a payment into the sample if its key is among the lowest so far.
func (s *Sample) take(p *journal.Payment) {
	key := sampleKey(s.Seed, p.Place())
	at, _ := slices.BinarySearchFunc(s.rows, key, func(r *sampled, key [sha256.Size]byte) int { return bytes.Compare(r.key[:], key[:]) })
	if at == s.Size {
		return
	}
	s.rows = slices.Insert(s.rows, at, &sampled{p, key})
	s.rows = s.rows[:min(len(s.rows), s.Size)]
}

// Holds reports whether every fee of the sample is known and matches what the chain charged, where that is known.
func (s *Sample) Holds() bool {
	return !slices.ContainsFunc(s.rows, func(r *sampled) bool {
		fee, known := r.Fee.Get()
		charged, isCharged := r.Charged.Get()
		return !known || isCharged && fee != charged
	})
}

// notes describe the sample.
func (s *Sample) notes() []string {
	var all console.Pairs
	s.Population.addTo(&all, "population, ", s.export.style.Token)
	s.Chosen.addTo(&all, "sample, ", s.export.style.Token)
	notes := slices.Clone(s.export.Notes)
	notes = append(notes,
		fmt.Sprintf(`rule: the %d transactions of the population with the lowest SHA-256 of SEED:ID; compute one with: printf '%%s' %s | sha256sum`, s.Size, console.Argument(s.Seed+":25-4")),
		"recompute: fee = gas × gas price where a row has both; for all others, and for each step: fees explain ID")
	for _, p := range all {
		notes = append(notes, p.Name+": "+p.Text)
	}
	return notes
}

// Sheet returns the sample as a table, in the order of the keys, with the inputs of each fee.
func (s *Sample) Sheet(ctx context.Context) *table.Sheet {
	sheet := &table.Sheet{
		Name: "sample", Title: fmt.Sprintf("Sample of %d of %d transactions, seed %q, %s, %s", len(s.rows), s.Population.count, s.Seed, s.export.style.Network, console.PeriodName(s.export.Held.Name)),
		Notes: s.notes(), Token: s.export.style.Token, Rows: s.each(ctx),
		Columns: []table.Column{
			{Name: "number", Kind: table.Integer}, {Name: "id", Kind: table.Text, Term: true}, {Name: "key_sha256", Kind: table.Text, Drop: 5}, {Name: "time", Kind: table.Time, Drop: 3},
			{Name: "block_hash", Kind: table.Hash, Drop: 6}, {Name: "hash", Kind: table.Hash, Drop: 4}, {Name: "evm_hash", Kind: table.Hash, Drop: 6},
			{Name: "payer", Kind: table.Address, Drop: 2}, {Name: "payer_label", Kind: table.Text, Drop: 3}, {Name: "layer", Kind: table.Text, Term: true}, {Name: "call", Kind: table.Text, Drop: 2},
			{Name: "outcome", Kind: table.Text, Term: true, Drop: 4}, {Name: "base_fee_per_gas", Kind: table.GasPrice, Drop: 5}, {Name: "gas_price", Kind: table.GasPrice, Drop: 1}, {Name: "gas", Kind: table.Integer, Drop: 1},
			{Name: "gas_times_price", Kind: table.Wei, Drop: 3}, {Name: "fee", Kind: table.Wei, Total: true, Whole: true}, {Name: "charged", Kind: table.Wei, Total: true, Whole: true, Drop: 1},
			{Name: "error", Kind: table.Text, Drop: 7},
		},
	}
	if s.inAssets() {
		sheet.Columns = append(sheet.Columns, table.Column{Name: "asset_fee", Kind: table.Text, Drop: 6})
	}
	return sheet
}

// inAssets reports whether a fee of the population was paid in an asset.
func (s *Sample) inAssets() bool { return len(s.export.Payments.AssetFees()) > 0 }

func (s *Sample) each(ctx context.Context) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for i, r := range s.rows {
			row, err := s.row(ctx, i+1, r)
			if err != nil {
				yield(nil, s.export.ledger.wrapErr(err))
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (s *Sample) row(ctx context.Context, number int, r *sampled) ([]any, error) {
	var block *ledger.Block
	for b, err := range s.export.ledger.Book.Blocks(ctx, ledger.Query{Span: chain.Heights{First: r.Height, Last: r.Height}}) {
		if err != nil {
			return nil, err
		}
		block = b
	}
	if block == nil {
		return nil, journal.ErrChanged
	}
	var product, gasUsed any
	gas, used := r.Gas.Get()
	if used {
		gasUsed = gas.Uint64()
	}
	if price, priced := r.GasPrice.Get(); priced && used {
		wei, err := price.Times(gas)
		if err != nil {
			return nil, err
		}
		product = wei
	}
	name, base := any(nil), any(nil)
	if payer, known := r.Payer.Get(); known {
		if label, ok := s.export.request.Labels.Label(payer); ok {
			name = label
		}
	}
	if r.Layer == fee.EVM {
		base = block.BaseFeePerGas
	}
	row := []any{
		number, r.Place(), hex.EncodeToString(r.key[:]), r.Time, block.Hash, r.Hash, r.EVMHash,
		r.Payer, name, string(r.Layer), r.Call, table.OrNull(string(r.Outcome)), base, r.GasPrice, gasUsed,
		product, r.Fee, r.Charged, table.OrNull(r.Error),
	}
	if s.inAssets() {
		paid := ""
		if r.InAsset() {
			paid = r.AssetFee.Text(s.export.style.Amount)
		}
		row = append(row, table.OrNull(paid))
	}
	return row, nil
}

// About states how the sample was made.
func (s *Sample) About(ctx context.Context, request AboutRequest) (*closing.About, error) {
	x := s.export
	a, err := x.ledger.about(ctx, &x.Held, &x.request.Request, request)
	if err != nil {
		return nil, err
	}
	a.Title, a.Notes = s.Sheet(ctx).Title, s.notes()[:len(x.Notes)+2]
	a.Filters = append(a.Filters, fmt.Sprintf("size %d", s.Size), "seed "+s.Seed)
	a.Totals.Add("rows", fmt.Sprint(len(s.rows)))
	s.Population.addTo(&a.Totals, "population, ", x.style.Token)
	s.Chosen.addTo(&a.Totals, "sample, ", x.style.Token)
	return a, nil
}
