package booking

import (
	"context"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Placer places fees in a chart of accounts.
type Placer struct {
	Chart  *chart.Chart
	Tags   *chart.Tags       // nil for none
	Labels *addressbook.Book // nil for none
	Book   Book
	// Classifier classifies the movements of a text journal.
	Classifier rollforward.Classifier

	height uint64 // of the block whose tokens are known
	tokens map[int][]chain.Address
}

// Book is asked for tokens and classes, if the chart asks for them; *[ledger.Book] is one.
type Book interface {
	rollforward.Book
	Transfers(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transfer, error]
}

// Placed is where a fee is booked.
type Placed struct {
	*chart.Placement
	Facts    *chart.Facts
	Expense  string // the suspense account where no rule names one, "" without one
	Asset    string // "" where nothing names one
	AssetBy  string // what named it, for people
	Suspense bool
}

// ByLine names the line of the chart that named a target, for people.
func ByLine(line int) string { return fmt.Sprintf("line %d", line) }

// Place places a fee whose payer is known.
func (p *Placer) Place(ctx context.Context, x *journal.Payment) (*Placed, error) {
	facts := chart.FactsOf(x.Transaction)
	entry := p.Labels.Entry(facts.Payer)
	facts.Label, facts.Group = entry.Label, entry.Group
	if contract, ok := facts.Contract.Get(); ok {
		facts.ContractLabel, _ = p.Labels.Label(contract)
	}
	var err error
	if facts.Tag, err = p.Tags.Tag(facts); err != nil {
		return nil, err
	}
	if p.Chart.UsesTokens() {
		if facts.Tokens, err = p.tokensOf(ctx, x.Transaction); err != nil {
			return nil, &journal.LedgerError{Err: err}
		}
	}
	placed := &Placed{Placement: p.Chart.Place(facts), Facts: facts}
	if placed.Expense = placed.Value(chart.Account); placed.Expense == "" {
		placed.Suspense, placed.Expense = true, p.Chart.Setting(chart.SettingSuspense)
	}
	switch standard := p.Chart.Setting(chart.SettingAsset); {
	case placed.Value(chart.Asset) != "":
		placed.Asset, placed.AssetBy = placed.Value(chart.Asset), ByLine(placed.Line(chart.Asset))
	case standard != "":
		placed.Asset, placed.AssetBy = standard, ByLine(p.Chart.Line(chart.SettingAsset))
	case entry.Account != "":
		placed.Asset, placed.AssetBy = entry.Account, "address book"
	}
	return placed, nil
}

// dimensions are those that the chart names.
func (p *Placed) dimensions() (d Dimensions) {
	for i, t := range dimensions {
		d[i] = p.Value(t)
	}
	return d
}

// key is the key of the fee's posting.
func (p *Placed) key() (Key, error) {
	who := p.Facts.Payer.String()
	if p.Facts.Label != "" {
		who = fmt.Sprintf("%q (%v)", p.Facts.Label, p.Facts.Payer)
	}
	switch {
	case p.Expense == "":
		return Key{}, fmt.Errorf(`no rule of the chart has an account for the fee of %s, %s of %s; add a rule, or the line "# suspense: ACCOUNT"`, p.Facts.ID, p.Facts.Call, who)
	case p.Asset == "":
		return Key{}, fmt.Errorf(`no asset account for %s; fill in the chart's column asset, or add the line "# asset: ACCOUNT"`, who)
	case plain.Cell(p.Asset) != p.Asset:
		return Key{}, fmt.Errorf("the asset account %q of %s would be a formula in a spreadsheet; rename it", p.Asset, who)
	case p.Asset == p.Expense:
		return Key{}, fmt.Errorf("%s is the expense account and the asset account of the fee of %s; name another one", p.Asset, p.Facts.ID)
	}
	return Key{p.Expense, p.Asset, p.dimensions()}, nil
}

// tokensOf lists the ERC-20 tokens that a transaction moved. It reads a block once for the
// transactions that come one after another.
func (p *Placer) tokensOf(ctx context.Context, t *ledger.Transaction) ([]chain.Address, error) {
	if p.tokens == nil || p.height != t.Height {
		p.height, p.tokens = t.Height, map[int][]chain.Address{}
		span := chain.Heights{First: t.Height, Last: t.Height}
		for x, err := range p.Book.Transfers(ctx, ledger.Query{Span: span}) {
			if err != nil {
				p.tokens = nil
				return nil, err
			}
			p.tokens[x.Extrinsic] = append(p.tokens[x.Extrinsic], x.Token)
		}
	}
	return p.tokens[t.Index], nil
}
