package statement

import (
	"context"
	"io"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/table"
)

// head is a statement without its lines.
type head struct {
	Account     string                          `json:"account"`
	Label       chain.Optional[string]          `json:"label"`
	Group       *chain.Optional[string]         `json:"group,omitempty"` // omitted from JSON without an address book
	Network     string                          `json:"network"`
	Symbol      string                          `json:"symbol"`
	FirstBlock  uint64                          `json:"first_block"`
	LastBlock   uint64                          `json:"last_block"`
	Evidence    evidence.Evidence               `json:"evidence"` // of the movements and fees
	Proved      bool                            `json:"proved"`
	Heights     uint64                          `json:"proved_heights"`
	Opening     chain.Optional[balances.Change] `json:"opening"`
	Closing     chain.Optional[balances.Change] `json:"closing"`
	Movements   chain.Optional[balances.Change] `json:"opening_and_movements"`
	Unexplained chain.Optional[balances.Change] `json:"unexplained"`
	Differences []balances.Difference           `json:"differences"`
	More        bool                            `json:"more_differences"`
	Settled     []balances.Difference           `json:"inferred_from_balances"`
	Kinds       []KindTotal                     `json:"kinds"`
	Fees        []LayerFees                     `json:"fees_by_layer"`
	Others      chain.Optional[LayerFees]       `json:"paid_for_others"`
	Worth       chain.Optional[money.Amount]    `json:"charged_worth"` // of all fees, in the currency of the prices
	Opened      chain.Optional[money.Amount]    `json:"opening_worth"`
	Moved       chain.Optional[money.Amount]    `json:"movements_worth"`
	Valuation   chain.Optional[money.Amount]    `json:"valuation_difference"`
	Closed      chain.Optional[money.Amount]    `json:"closing_worth"`
	Prices      *money.Basis                    `json:"prices"`               // null without amounts in a currency
	AssetFees   fee.AssetTotals                 `json:"asset_fees,omitempty"` // in no other sum
	NoPayer     uint64                          `json:"without_payer"`
	Notes       []string                        `json:"notes"`
}

func (y *Style) head(s *Statement) head {
	h := head{
		Account: y.Account(s.Account), Label: y.label(s.Account), Network: y.Network, Symbol: y.Symbol, FirstBlock: s.Span.First, LastBlock: s.Span.Last, Evidence: y.Evidence,
		Proved: s.Opening.Known() && s.Holds(), Heights: s.Proved, Movements: s.Closes(), Unexplained: s.Unexplained,
		Differences: append([]balances.Difference{}, s.Differences...), More: s.More, Settled: append([]balances.Difference{}, s.Settled...),
		Kinds: append([]KindTotal{}, s.Kinds...), Fees: append([]LayerFees{}, s.Fees...),
		Worth: s.ChargedWorth, Opened: s.OpeningWorth, Moved: s.MovedWorth, Valuation: s.Valuation(), Closed: s.ClosingWorth, Prices: y.basis(), AssetFees: s.AssetFees, NoPayer: s.WithoutPayer, Notes: slices.Concat([]string{}, y.Notes, s.Notes(y.Token), s.AssetFees.Notes(y.Amount)),
	}
	if y.Called {
		group := y.Labels.GroupOf(chain.Some(s.Account))
		h.Group = &group
	}
	if opening, ok := s.Opening.Get(); ok {
		h.Opening = chain.Some(balances.Of(opening))
	}
	if closing, ok := s.Closing.Get(); ok {
		h.Closing = chain.Some(balances.Of(closing))
	}
	if s.Others.Transactions > 0 {
		h.Others = chain.Some(s.Others)
	}
	return h
}

// WriteJSON writes a statement as one JSON object over several lines, each line of the statement as it
// is read.
func (y *Style) WriteJSON(ctx context.Context, w io.Writer, s *Statement) error {
	return y.encode(ctx, jsontext.NewStream(w, false), s)
}

// WriteJSONLine writes a statement as one JSON object on one line.
func (y *Style) WriteJSONLine(ctx context.Context, w io.Writer, s *Statement) error {
	return y.encode(ctx, jsontext.NewStream(w, true), s)
}

func (y *Style) encode(ctx context.Context, out *jsontext.Stream, s *Statement) error {
	out.Members(y.head(s))
	for _, part := range []*table.Sheet{y.Movements(ctx, s), y.Transfers(ctx, s)} {
		out.List(part.Name, table.JSONRows(Without(part, "account", "label", "group")))
	}
	return out.Close()
}

// WriteJSONList writes statements as one list.
func (y *Style) WriteJSONList(ctx context.Context, w io.Writer, list []*Statement) error {
	if _, err := io.WriteString(w, "[\n"); err != nil {
		return err
	}
	for i, s := range list {
		if i > 0 {
			io.WriteString(w, ",\n")
		}
		if err := y.WriteJSON(ctx, w, s); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "]\n")
	return err
}
