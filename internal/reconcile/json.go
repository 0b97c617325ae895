package reconcile

import (
	"bytes"
	"io"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

// itemJSON is the JSON form of an item.
type itemJSON struct {
	Outcome         Outcome                         `json:"outcome"`
	File            string                          `json:"file,omitempty"` // the record, if several were compared
	Line            *int                            `json:"line"`
	ID              *ledger.Place                   `json:"id"`
	Time            chain.Optional[chain.Time]      `json:"time"`
	Payer           chain.Optional[string]          `json:"payer"`
	EVMHash         chain.Optional[chain.Hash]      `json:"evm_hash"`
	ExtrinsicHash   *chain.Hash                     `json:"extrinsic_hash"`
	Layer           *fee.Layer                      `json:"layer"`
	Call            *string                         `json:"call"`
	Books           chain.Optional[chain.Wei]       `json:"books"`
	BooksToken      *string                         `json:"books_token"`
	Chain           chain.Optional[chain.Wei]       `json:"chain"`
	ChainToken      *string                         `json:"chain_token"`
	Difference      chain.Optional[chain.SignedWei] `json:"difference"`
	DifferenceToken *string                         `json:"difference_token"`
	BooksDate       chain.Optional[chain.Time]      `json:"books_date"`
	BooksAccount    chain.Optional[string]          `json:"books_account"`
	BooksID         chain.Optional[ledger.Place]    `json:"books_id"`
	BooksHash       chain.Optional[chain.Hash]      `json:"books_hash"`
	Notes           []string                        `json:"notes"`
	Accepted        *acceptanceJSON                 `json:"accepted,omitempty"`
	*itemLabels
	*worthJSON
}

// itemLabels contains an address book's label and group of an item's payer. JSON omits both without a book.
type itemLabels struct {
	PayerLabel chain.Optional[string] `json:"payer_label"`
	PayerGroup chain.Optional[string] `json:"payer_group"`
}

// labelled returns the book's label and group of a payer, or nil without a book.
func labelled(book *addressbook.Book, payer chain.Optional[chain.Address]) *itemLabels {
	if book == nil {
		return nil
	}
	return &itemLabels{book.LabelOf(payer), book.GroupOf(payer)}
}

func (r *Result) itemJSON(i *Item) itemJSON {
	x := itemJSON{
		Outcome: i.Outcome, Books: i.Books, Chain: i.Chain, Difference: i.Difference, Notes: append([]string{}, i.Notes...),
		BooksToken: tokensOf(r, i.Books), ChainToken: tokensOf(r, i.Chain), DifferenceToken: tokensOf(r, i.Difference),
		Accepted: r.AcceptanceOf(i).json(),
	}
	if row := i.Row; row != nil {
		x.File = row.File
		x.Line, x.BooksDate, x.BooksAccount, x.BooksID, x.BooksHash = &row.Line, row.Date, r.Options.Token().AccountOf(row.Account), row.Place, row.AnyHash()
	}
	if t, ok := i.Transaction.Get(); ok {
		x.ID, x.Time, x.Payer, x.EVMHash, x.ExtrinsicHash, x.Layer, x.Call = &t.Place, t.Time, r.Options.Token().AccountOf(t.Payer), t.EVMHash, &t.Hash, &t.Layer, &t.Call
	}
	x.itemLabels = labelled(r.Options.Labels, i.payer())
	if r.valuer != nil {
		x.worthJSON = r.worthJSON(i.worth(r.valuer, r.Options.Zone))
	}
	return x
}

// tokensOf formats an amount in the result's token, if known.
func tokensOf[T interface{ String() string }](r *Result, o chain.Optional[T]) *string {
	v, known := o.Get()
	if !known {
		return nil
	}
	text := r.Options.Token().Tokens(v)
	return &text
}

// sumJSON is the JSON form of a sum.
type sumJSON struct {
	Outcome         Outcome                         `json:"outcome"`
	Count           int                             `json:"count"`
	Books           chain.Wei                       `json:"books"`
	BooksToken      string                          `json:"books_token"`
	Chain           chain.Optional[chain.Wei]       `json:"chain"`
	ChainToken      *string                         `json:"chain_token"`
	Difference      chain.Optional[chain.SignedWei] `json:"difference"`
	DifferenceToken *string                         `json:"difference_token"`
	*worthJSON
}

func (r *Result) sumJSON(s *Sum) sumJSON {
	return sumJSON{s.Outcome, s.Count, s.Books, r.Options.Token().Tokens(s.Books), s.Chain, tokensOf(r, s.Chain), s.Difference, tokensOf(r, s.Difference), r.worthJSON(s.Worth)}
}

// MarshalJSON writes the result with the details of what does not match.
func (r *Result) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	err := r.WriteJSON(&out, false)
	return out.Bytes(), err
}

// WriteJSON writes the result as one indented object: its limits, its basis, the summary, and last the details,
// all of them or only what does not match.
func (r *Result) WriteJSON(w io.Writer, all bool) error {
	var head struct {
		File       string               `json:"file,omitempty"` // what a profile found its rows to be
		Headline   string               `json:"headline"`
		Reconciled chain.Optional[bool] `json:"reconciled"` // null if everything compared agrees, but not all was compared
		Complete   bool                 `json:"completeness_checked"`
		Accepted   int                  `json:"accepted,omitempty"`                    // differences
		InAssets   int                  `json:"fees_in_assets_not_compared,omitempty"` // of the accounts
		Notes      []string             `json:"notes"`
		Basis      jsontext.Record      `json:"basis"`
		Symbol     string               `json:"symbol"`
		Values     string               `json:"values_in,omitempty"` // the currency whose values were compared, in units of 10^-18; omitted if amounts were
		Prices     *money.Basis         `json:"prices,omitempty"`    // omitted without prices
		Summary    []sumJSON            `json:"summary"`
		Total      sumJSON              `json:"total"`
	}
	head.File, head.Reconciled, head.InAssets = r.recordSummary(), r.Reconciled(), r.InAssets
	head.Headline, head.Complete, head.Accepted, head.Notes = r.Headline(), r.Complete(), r.Accepted(), append([]string{}, r.Notes...)
	head.Symbol, head.Total = r.Options.Symbol, r.sumJSON(&r.Total)
	for _, f := range r.basis() {
		head.Basis = append(head.Basis, jsontext.Field{Name: f.name, Value: f.value})
	}
	if r.Options.Values {
		head.Values = r.Options.Symbol
	}
	if r.prices != nil {
		basis := r.prices.Basis()
		head.Prices = &basis
	}
	for i := range r.Sums {
		head.Summary = append(head.Summary, r.sumJSON(&r.Sums[i]))
	}
	out := jsontext.NewStream(w, false)
	out.Members(head)
	out.List("details", r.details(all))
	return out.Close()
}

// details returns the items as JSON.
func (r *Result) details(all bool) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for i, err := range r.listed(all) {
			var text []byte
			if err == nil {
				text, err = jsontext.Indented(r.itemJSON(i), jsontext.ElementPrefix)
			}
			if !yield(text, err) || err != nil {
				return
			}
		}
	}
}
