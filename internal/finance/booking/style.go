package booking

import (
	"context"

	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
)

// ForJournal is a chart as the text journals of package journal use it.
func (p *Placer) ForJournal() journal.Chart { return styled{p} }

type styled struct{ *Placer }

// Place places a fee. Dimensions are tags.
func (s styled) Place(ctx context.Context, x *journal.Payment) (at journal.Placed, err error) {
	placed, err := s.Placer.Place(ctx, x)
	if err != nil {
		return at, err
	}
	if _, err := placed.key(); err != nil && (placed.Expense == "" || placed.Asset != "") {
		return at, err
	}
	at = journal.Placed{Expense: placed.Expense, Asset: placed.Asset}
	for _, t := range chart.DimensionTargets() {
		if value := placed.Value(t); value != "" {
			at.Tags = append(at.Tags, [2]string{string(t), value})
		}
	}
	return at, nil
}

// PlaceMovement places a movement by its class.
func (s styled) PlaceMovement(ctx context.Context, m *ledger.Movement) (string, error) {
	class, err := s.Classifier.ClassOf(ctx, s.Book, m)
	if err != nil {
		return "", &journal.LedgerError{Err: err}
	}
	entry := s.Labels.Entry(m.Account)
	facts := &chart.Facts{Payer: m.Account, Label: entry.Label, Group: entry.Group, Kind: string(class)}
	return s.Chart.PlaceMovement(facts).Value(chart.Account), nil
}

// Tags are the names of the dimensions.
func (s styled) Tags() (names []string) {
	for _, t := range chart.DimensionTargets() {
		names = append(names, string(t))
	}
	return names
}
