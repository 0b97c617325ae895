package variance

import (
	"io"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/table"
)

// document is the variance as JSON, without its steps. Amounts are decimal strings in wei; unknown values are null.
type document struct {
	Network    string                          `json:"network"`
	Symbol     string                          `json:"symbol"`
	Period     sideDocument                    `json:"period"`
	Against    sideDocument                    `json:"against"`
	Accounts   []string                        `json:"accounts"` // null for all
	Difference chain.Optional[chain.SignedWei] `json:"difference"`
	Known      chain.SignedWei                 `json:"known_difference"`
	Percent    chain.Optional[string]          `json:"percent"`  // of the fee of the other period
	Worth      *worthDocument                  `json:"currency"` // null without prices
	Words      []string                        `json:"words"`
	Order      string                          `json:"order"` // in which the factors change
}

// sideDocument is a period with its known fees.
type sideDocument struct {
	Name         string                 `json:"name"`
	Length       string                 `json:"length"`
	Part         string                 `json:"part,omitempty"` // what is compared of it; absent for all
	First        chain.Optional[uint64] `json:"first"`
	Last         chain.Optional[uint64] `json:"last"`
	Complete     bool                   `json:"complete"`
	Lacks        []string               `json:"lacks"`
	Evidence     evidence.Evidence      `json:"evidence"`
	Transactions uint64                 `json:"transactions"`
	Fee          chain.Wei              `json:"fee"`
	Failed       uint64                 `json:"failed"`
	FailedFee    chain.Wei              `json:"failed_fee"`
	Undetermined uint64                 `json:"undetermined"`
	InAssets     uint64                 `json:"paid_in_assets"` // transactions, which are in no step
}

// worthDocument contains the fees in a currency, each at the price of its own day or hour.
type worthDocument struct {
	Currency   money.Currency               `json:"currency"`
	Fee        chain.Optional[money.Amount] `json:"fee"`
	FeeBefore  chain.Optional[money.Amount] `json:"fee_before"`
	Difference chain.Optional[money.Amount] `json:"difference"`
}

func (s *Side) document(of *Sums) sideDocument {
	d := sideDocument{
		Name: s.Name, Length: s.Length, Part: s.Part, Complete: len(s.Cover.Lacks) == 0, Lacks: append([]string{}, s.Cover.Lacks...), Evidence: s.Evidence, Transactions: of.Transactions,
		Fee: of.Fee, Failed: of.Failed, FailedFee: of.FailedFee, Undetermined: of.Undetermined, InAssets: of.InAssets,
	}
	if span, some := s.Cover.Span.Get(); some {
		d.First, d.Last = chain.Some(span.First), chain.Some(span.Last)
	}
	return d
}

func (r *Report) document() document {
	d := document{
		Network: r.Network, Symbol: r.Symbol, Period: r.Period.document(&r.Now), Against: r.Other.document(&r.Before), Difference: r.Difference(), Known: r.Known(),
		Percent: r.Percent(), Words: r.Words(), Order: Order,
	}
	for _, a := range r.Accounts {
		d.Accounts = append(d.Accounts, r.Account(a))
	}
	if r.Prices != nil {
		d.Worth = &worthDocument{r.Prices.Currency, r.Period.Worth, r.Other.Worth, r.worthDifference()}
	}
	return d
}

// writeJSON writes the variance as one object, with the steps, and then the calls of each step.
func (r *Report) writeJSON(w io.Writer) error {
	out := jsontext.NewStream(w, false)
	out.Members(r.document())
	for _, list := range []*table.Sheet{r.StepSheet(), r.Sheet()} {
		out.List(list.Name, table.JSONRows(list))
	}
	out.Members(struct {
		Notes []string `json:"notes"`
	}{slices.Concat([]string{}, r.Partial, r.limits(), r.Notes)})
	return out.Close()
}
