package web

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/source"
)

// transactionPage is the page of a transaction.
type transactionPage struct {
	frame
	figures
	tables
	Steps []stepGroup
	Parts []part // the distribution of its fee
}

func (p *transactionPage) main() g.Node {
	return p.body(p.notices.node(), p.figures.node(), p.related(), each(p.Steps, stepGroup.node), distributionNode(p.Parts), p.tables.node(), p.notesList())
}

// transaction shows a transaction with its movements and the calculation of its fee.
func (s *server) transaction(w http.ResponseWriter, r *http.Request) error {
	return s.show(w, r, allSealed, func(r *http.Request, _ string) (page, error) {
		t, err := s.Ledger.Transaction(r.Context(), r.PathValue("name"))
		if err != nil {
			return nil, err
		}
		place := t.Place().String()
		v := &transactionPage{frame: frame{Title: "Transaction " + place, Path: "tx", Command: "fees explain " + place + s.ledgerFlag() + s.gatewayFlag()}}
		v.Paper, v.Kept = true, monthScope(r, t.Time)
		before, after, err := s.Ledger.Around(r.Context(), t.Place())
		if err != nil {
			return nil, err
		}
		if at, ok := before.Get(); ok {
			v.Around = append(v.Around, link{"Previous transaction", "tx/" + at.String()})
		}
		if at, ok := after.Get(); ok {
			v.Around = append(v.Around, link{"Next transaction", "tx/" + at.String()})
		}
		v.Lead, v.Unsealed = table.Words(string(t.Layer))+", "+cmp.Or(t.Type, t.Call), !t.Sealed
		v.Main = []fact{amount("fee", t.Fee, t.Token), amount("charged on chain", t.Charged, t.Token), verdictFact(t)}
		v.Facts = []fact{
			{Name: "block", cell: cell{Text: fmt.Sprint(t.Height), To: fmt.Sprintf("block/%d", t.Height)}}, moment("time", t.Time),
			textFact("outcome", cmp.Or(table.Words(string(t.Outcome)), notKnown)), s.party("payer", t.AccountOf(t.Payer)), s.party("from", t.AccountOf(t.Sender)), s.party("to", t.AccountOf(recipient(t.Transaction, t.Movements))),
			hash("EVM hash", console.Known(t.EVMHash)), hash("extrinsic hash", t.Hash.String()), fact{Name: "gas", cell: cell{Text: console.Known(t.Gas), Number: true}}, textFact("nonce", console.Known(t.Nonce)), textFact("rules", t.Rules),
		}
		if t.InAsset() {
			v.Main = append(v.Main, textFact("paid in an asset", t.AssetFee.Text(t.Token.Amount)))
		}
		if v.Parts = distribution(t); v.Parts == nil {
			v.Facts = append(v.Facts, amount("burned", t.Burned, t.Token), amount(t.Token.TreasuryLabel(), t.Treasury, t.Token), amount("author", t.Author, t.Token))
		}
		if to, ok := t.Recipient.Get(); ok && t.Layer == fee.EVM {
			v.Links = []link{{"Fees of calls to the same contract", "contract/" + to.String()}}
		}
		if t.Error != "" {
			v.Warnings = append(v.Warnings, "The fee is undetermined: "+t.Error)
		}
		if drift, ok := t.Drift.Get(); ok && drift.Sign() != 0 {
			v.Warnings = append(v.Warnings, fmt.Sprintf("The charged amount differs from the calculated fee by %s %s. The charged amount is what was paid.", t.Tokens(drift), t.Symbol))
		}
		if t.Failed != "" {
			v.Warnings = append(v.Warnings, "Failed checks of this transaction: "+strings.ReplaceAll(t.Failed, " ", ", ")+".")
		}
		if err := s.explain(r, v, t); err != nil {
			return nil, err
		}
		for _, list := range []*table.Sheet{movementSheet(t), transferSheet(t)} {
			table, err := s.list(list, listing{limit: maxRows}, nil)
			if err != nil {
				return nil, err
			}
			if len(table.Rows) > 0 {
				v.Tables = append(v.Tables, table)
			}
		}
		return v, nil
	})
}

// recipient returns the account that a transaction calls, or to which a native one transfers; unknown if there is none or
// several.
func recipient(t *ledger.Transaction, movements []*ledger.Movement) (to chain.Optional[chain.Address]) {
	if t.Recipient.Known() || t.Layer != fee.Native {
		return t.Recipient
	}
	for _, m := range movements {
		if m.Kind != movement.KindTransferOut || !m.Counterparty.Known() {
			continue
		}
		if to.Known() && to != m.Counterparty {
			return chain.Optional[chain.Address]{}
		}
		to = m.Counterparty
	}
	return to
}

// recipients returns the recipients of the transactions of a page. Those of native transfers are in the movements of their
// senders: only their blocks are read.
func (s *server) recipients(ctx context.Context, list []*ledger.Transaction) (func(*ledger.Transaction) any, error) {
	senders, moved := map[chain.Address]bool{}, map[ledger.Place][]*ledger.Movement{}
	var heights []uint64
	for _, t := range list {
		if sender, signed := t.Sender.Get(); signed && t.Layer == fee.Native && strings.Contains(strings.ToLower(t.Call), "transfer") {
			heights, senders[sender], moved[t.Place()] = append(heights, t.Height), true, nil
		}
	}
	if len(heights) == 0 {
		return func(t *ledger.Transaction) any { return t.Recipient }, nil
	}
	slices.Sort(heights)
	for m, err := range s.Ledger.Book.MovementsAt(ctx, slices.Compact(heights), slices.Collect(maps.Keys(senders))) {
		if err != nil {
			return nil, err
		}
		if row, ok := m.Where.Extrinsic(); ok {
			at := ledger.Place{Height: m.Height, Row: row}
			if _, asked := moved[at]; asked {
				moved[at] = append(moved[at], m)
			}
		}
	}
	return func(t *ledger.Transaction) any { return recipient(t, moved[t.Place()]) }, nil
}

// pageSheet lists the transactions of a page, with their recipients beside the payers.
func (s *server) pageSheet(ctx context.Context, token console.Token, list []*ledger.Transaction) (*table.Sheet, error) {
	recipientOf, err := s.recipients(ctx, list)
	if err != nil {
		return nil, err
	}
	return transactionSheet(token, transactionList(list), pageColumns(transactionColumn{table.Column{Name: "to", Kind: table.Address}, recipientOf})), nil
}

// verdictFact returns the verdict.
func verdictFact(t *app.Paid) fact {
	f := textFact("verdict", t.Standing().Words())
	f.Class = standingOf(f.Text)
	return f
}

// explain adds the calculation of a fee, derived from the block itself. If the block cannot be read, it adds
// the reason instead.
func (s *server) explain(r *http.Request, v *transactionPage, t *app.Paid) error {
	if s.Source == nil {
		v.Notes = append(v.Notes, "To show each step of the fee, start the server with fees serve --gateway URL.")
		return nil
	}
	if !s.isArchive() {
		v.Unsealed = true // a failed query may succeed later
	}
	bill, err := s.explanation(r, t)
	switch {
	case r.Context().Err() != nil:
		return err
	case err != nil:
		v.Unsealed = true
		v.Warnings = append(v.Warnings, "The calculation of the fee cannot be shown: "+s.unread(r, err))
		return nil
	}
	v.Notes = append(v.Notes, bill.VerdictText())
	if proof := bill.Transaction.WeightProof.Words(); proof != "" {
		v.Notes = append(v.Notes, "What proves the weight: "+proof+".")
	}
	if class, ok := bill.Transaction.Class.Get(); ok {
		v.Warnings = append(v.Warnings, bill.ClassText(class))
	}
	for _, f := range bill.Findings {
		v.Warnings = append(v.Warnings, "finding: "+f.Check+": "+bill.Token.Own(f.Message))
	}
	for _, note := range append(bill.Transaction.Notes, bill.Notes...) {
		v.Notes = append(v.Notes, plain.Line(bill.Token.Own(note)))
	}
	v.Facts = append(v.Facts, textFact("evidence", bill.Evidence.String()))
	v.Steps = stepGroups(bill)
	return nil
}

// isArchive reports whether blocks come from an archive, whose answers never change.
func (s *server) isArchive() bool {
	kept, err := source.Kept(s.Source.Source)
	return err == nil && kept.Known()
}

// explanation explains a fee of the ledger from its block. It fails if the block belongs to another chain or
// gives a different fee.
func (s *server) explanation(r *http.Request, t *app.Paid) (*explain.Explanation, error) {
	block, err := s.Ledger.Block(r.Context(), t.Height)
	if err != nil {
		return nil, err
	}
	which, err := app.ParseTransactionRef(t.Place().String(), "")
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.sourceTimeout(r)
	defer cancel()
	bill, err := app.Explain(ctx, s.Source, which)
	if err != nil {
		return nil, s.asked(ctx, r, err)
	}
	own := bill.Transaction
	if bill.BlockHash != block.Hash {
		return nil, &problem{http.StatusConflict, "Different chain", fmt.Sprintf("the gateway's block %d has the hash %v, the ledger's has %v", t.Height, bill.BlockHash, block.Hash)}
	}
	if own.Fee != t.Fee || own.Charged != t.Charged {
		return nil, &problem{http.StatusConflict, "Different fee", fmt.Sprintf("under %s the fee is %s and %s was charged, but the ledger has different figures, under %s. Run fees ledger verify --gateway to compare them.", bill.Rules, cmp.Or(console.Known(own.Fee), notKnown), cmp.Or(console.Known(own.Charged), notKnown), t.Rules)}
	}
	return bill, nil
}

// sourceTimeout returns a context with half of a request's timeout for the gateway; the other half remains for the
// data of the ledger.
func (s *server) sourceTimeout(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Context(), s.Time/2)
}

// asked converts a gateway's timeout to an error for the client.
func (s *server) asked(ctx context.Context, r *http.Request, err error) error {
	if ctx.Err() != nil && r.Context().Err() == nil {
		return &problem{http.StatusBadGateway, "Source not available", fmt.Sprintf("the gateway did not answer within %v.", s.Time/2)}
	}
	return err
}

// unread returns the reason why a block or a balance cannot be read, as shown to clients.
func (s *server) unread(r *http.Request, err error) string {
	return problemOf(r.Context(), err, s.Time).Detail
}

func movementSheet(t *app.Paid) *table.Sheet {
	return listed("Movements of the native balances", t.Token, t.Movements, func(m *ledger.Movement) []any {
		return []any{m.Account, string(m.Kind), m.Event, m.Free, m.Reserved, m.Counterparty}
	}, table.Column{Name: "account", Kind: table.Address}, table.Column{Name: "kind", Kind: table.Text}, table.Column{Name: "event", Kind: table.Text},
		table.Column{Name: "free", Kind: table.SignedWei}, table.Column{Name: "reserved", Kind: table.SignedWei}, table.Column{Name: "counterparty", Kind: table.Address})
}

func transferSheet(t *app.Paid) *table.Sheet {
	return listed("ERC-20 transfers, in the tokens' smallest units", t.Token, t.Transfers, func(x *ledger.Transfer) []any {
		return []any{x.Token, x.Sender, x.Recipient, x.Amount}
	}, table.Column{Name: "token", Kind: table.Address}, table.Column{Name: "from", Kind: table.Address}, table.Column{Name: "to", Kind: table.Address}, table.Column{Name: "amount", Kind: table.TokenAmount})
}

func listed[T any](title string, token console.Token, list []T, row func(T) []any, columns ...table.Column) *table.Sheet {
	return &table.Sheet{Name: "list", Title: title, Token: token, Columns: columns, Rows: func(yield func([]any, error) bool) {
		for _, x := range list {
			if !yield(row(x), nil) {
				return
			}
		}
	}}
}

// gatewayFlag returns the command-line flag for the source of balances and blocks.
func (s *server) gatewayFlag() string {
	if s.Gateway == "" {
		return ""
	}
	return " --gateway " + console.Argument(s.Gateway)
}
