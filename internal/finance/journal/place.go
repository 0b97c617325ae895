package journal

import (
	"context"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Placer places fees and movements in a company's chart of accounts.
type Placer struct {
	Chart  *chart.Chart      // nil for the accounts of this package
	Tags   *chart.Tags       // nil for none
	Labels *addressbook.Book // nil for none
	Rows   Rows
	// Classifier classifies movements.
	Classifier rollforward.Classifier

	height uint64 // of the block whose tokens are known
	tokens map[int][]chain.Address
}

// Rows provides what the chart's conditions need: tokens and classes. *[ledger.Book] implements it.
type Rows interface {
	rollforward.Book
	Transfers(ctx context.Context, q ledger.Query) iter.Seq2[*ledger.Transfer, error]
}

// Placed is where the chart places a fee.
type Placed struct {
	*chart.Placement
	Facts     *chart.Facts
	Expense   string // the suspense account where no rule names one, "" without one
	ExpenseBy string // what named it, for people
	Asset     string // "" where nothing names one
	AssetBy   string
	Suspense  bool
}

// PlacedFee is a fee, and where a chart of accounts places it.
type PlacedFee struct {
	*Payment
	*Placed
}

// Place places the fee of a transaction whose payer is known.
func (p *Placer) Place(ctx context.Context, t *ledger.Transaction) (*Placed, error) {
	facts := chart.FactsOf(t)
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
		if facts.Tokens, err = p.tokensOf(ctx, t); err != nil {
			return nil, &LedgerError{err}
		}
	}
	line := func(n int) string { return fmt.Sprintf("line %d", n) }
	at := &Placed{Placement: p.Chart.Place(facts), Facts: facts}
	at.Expense, at.ExpenseBy = at.Value(chart.Account), line(at.Line(chart.Account))
	if at.Expense == "" {
		at.Suspense, at.Expense, at.ExpenseBy = true, p.Chart.Setting(chart.SettingSuspense), "suspense"
	}
	switch standard := p.Chart.Setting(chart.SettingAsset); {
	case at.Value(chart.Asset) != "":
		at.Asset, at.AssetBy = at.Value(chart.Asset), line(at.Line(chart.Asset))
	case standard != "":
		at.Asset, at.AssetBy = standard, line(p.Chart.Line(chart.SettingAsset))
	case entry.Account != "":
		at.Asset, at.AssetBy = entry.Account, "address book"
	}
	return at, nil
}

// key is the key of the fee's posting.
func (p *Placed) key() (k Key, err error) {
	payer := p.Facts.Payer.String()
	if p.Facts.Label != "" {
		payer = fmt.Sprintf("%q (%v)", p.Facts.Label, p.Facts.Payer)
	}
	switch {
	case p.Expense == "":
		return k, fmt.Errorf(`no rule of the chart has an account for the fee of %s, %s of %s; add a rule, or the line "# suspense: ACCOUNT"`, p.Facts.ID, p.Facts.Call, payer)
	case p.Asset == "":
		return k, fmt.Errorf(`no asset account for %s; fill in the chart's column asset, or add the line "# asset: ACCOUNT"`, payer)
	case plain.Cell(p.Asset) != p.Asset:
		return k, fmt.Errorf("the asset account %q of %s would be a formula in a spreadsheet; rename it", p.Asset, payer)
	case p.Asset == p.Expense:
		return k, fmt.Errorf("%s is the expense account and the asset account of the fee of %s; name another one", p.Asset, p.Facts.ID)
	}
	k.Account, k.Contra = Account(p.Expense), Account(p.Asset)
	for i, t := range dimensions {
		k.Dimensions[i] = p.Value(t)
	}
	return k, nil
}

// placeMovement returns the contra account of a movement, by the rules with a kind; "" if none names one.
func (p *Placer) placeMovement(ctx context.Context, m *ledger.Movement, cause *ledger.Transaction) (string, error) {
	class, err := p.Classifier.ClassOf(ctx, p.Rows, m, cause)
	if err != nil {
		return "", &LedgerError{err}
	}
	return p.placeClass(m.Account, class), nil
}

// placeClass returns the contra account of an account's movements of a class; "" if no rule names one.
func (p *Placer) placeClass(account chain.Address, class rollforward.Class) string {
	entry := p.Labels.Entry(account)
	facts := &chart.Facts{Payer: account, Label: entry.Label, Group: entry.Group, Kind: string(class)}
	return p.Chart.PlaceMovement(facts).Value(chart.Account)
}

// tokensOf lists the ERC-20 tokens that a transaction moved. It reads a block once for
// transactions that follow each other.
func (p *Placer) tokensOf(ctx context.Context, t *ledger.Transaction) ([]chain.Address, error) {
	if p.tokens == nil || p.height != t.Height {
		p.height, p.tokens = t.Height, map[int][]chain.Address{}
		span := chain.Heights{First: t.Height, Last: t.Height}
		for x, err := range p.Rows.Transfers(ctx, ledger.Query{Span: span}) {
			if err != nil {
				p.tokens = nil
				return nil, err
			}
			p.tokens[x.Extrinsic] = append(p.tokens[x.Extrinsic], x.Token)
		}
	}
	return p.tokens[t.Index], nil
}
