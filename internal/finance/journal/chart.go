package journal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// Chart chooses the accounts of fees and of other movements, instead of those of this package.
type Chart interface {
	Place(ctx context.Context, p *Payment) (Placed, error)
	// PlaceMovement returns the account that a movement is entered against, which is not a part of a
	// fee; "" leaves it to this package.
	PlaceMovement(ctx context.Context, m *ledger.Movement) (string, error)
	Tags() []string // the names of the tags that it gives
}

// Placed is where a chart places a fee. An asset account that is empty is the one of the names.
type Placed struct {
	Expense, Asset string
	Tags           [][2]string // such as cost_centre and its value
}

// beancountRoots are the root accounts of Beancount.
var beancountRoots = []string{"Assets", "Liabilities", "Equity", "Income", "Expenses"}

// parseChartAccount reads an account of a chart, whose parts have colons between.
func parseChartAccount(text string) (Account, error) {
	parts := strings.Split(text, ":")
	for i := range parts {
		if parts[i] = cleanName(parts[i]); parts[i] == "" {
			return "", fmt.Errorf("the account %q of the chart: each part needs a letter or a digit", text)
		}
	}
	return Account(strings.Join(parts, ":")), nil
}

// feeAccounts are the accounts of a fee, and its tags.
func (s *Style) feeAccounts(ctx context.Context, p *Payment, assets map[chain.Address]Account) (expense, asset Account, tags [][2]string, err error) {
	payer, _ := p.Payer.Get()
	expense, asset = feeAccount(p.Layer), assets[payer]
	if s.Chart == nil {
		return expense, asset, nil, nil
	}
	placed, err := s.Chart.Place(ctx, p)
	if err != nil {
		return "", "", nil, err
	}
	if expense, err = parseChartAccount(placed.Expense); err != nil {
		return "", "", nil, err
	}
	if placed.Asset != "" {
		if asset, err = parseChartAccount(placed.Asset); err != nil {
			return "", "", nil, err
		}
	}
	for _, tag := range placed.Tags {
		tags = append(tags, [2]string{tag[0], clean(tag[1])})
	}
	return expense, asset, tags, nil
}

// chosen is the account that a movement is entered against. The parts of a fee that its payer paid
// stay in the accounts that pay empties again.
func (c *composer) chosen(ctx context.Context, m *ledger.Movement, paid *Payment) (Account, error) {
	isPart := false
	if paid != nil && (m.Kind == movement.KindWithdrawal || m.Kind == movement.KindDeposit) {
		payer, known := paid.Payer.Get()
		isPart = known && payer == m.Account
	}
	if c.style.Chart == nil || isPart {
		return c.against(&m.Movement)
	}
	text, err := c.style.Chart.PlaceMovement(ctx, m)
	switch {
	case err != nil:
		return "", err
	case text == "":
		return c.against(&m.Movement)
	}
	return parseChartAccount(text)
}

// checkRoots requires accounts that Beancount accepts.
func (j *Journal) checkRoots() error {
	for _, a := range j.used() {
		root, below, _ := strings.Cut(string(a), ":")
		if below == "" || !slices.Contains(beancountRoots, root) {
			return fmt.Errorf("the account %q does not lie below one of %s; rename it in the chart, such as Expenses:%s", a, strings.Join(beancountRoots, ", "), a)
		}
	}
	return nil
}
