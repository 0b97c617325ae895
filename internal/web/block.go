package web

import (
	"fmt"
	"net/http"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// blockPage is the page of a block.
type blockPage struct {
	frame
	figures
	tables
}

func (p *blockPage) main() g.Node { return p.body(p.figures.node(), p.tables.node()) }

// block shows a block with its transactions.
func (s *server) block(w http.ResponseWriter, r *http.Request) error {
	height, err := heightOf(r.PathValue("height"))
	if err != nil {
		return err
	}
	l, err := listingOf(r)
	if err != nil {
		return err
	}
	return s.show(w, r, allSealed, func(r *http.Request, _ string) (page, error) {
		b, err := s.Ledger.Block(r.Context(), height)
		if err != nil {
			return nil, err
		}
		token, err := s.Ledger.Token(r.Context())
		if err != nil {
			return nil, err
		}
		v := &blockPage{frame: frame{Title: fmt.Sprintf("Block %d", height), Path: "block", Command: fmt.Sprintf("fees show %d", height) + s.ledgerFlag(), Unsealed: !b.Sealed}}
		v.Kept = monthScope(r, b.Time)
		v.Main = feesAndCharge("fees, in all as charged on chain", b.Fee, b.Charged, b.Undetermined, token)
		v.Facts = []fact{
			moment("time", b.Time), hash("hash", b.Hash.String()), textFact("rules", b.Rules), textFact("transactions", fmt.Sprintf("%d EVM, %d native, %d inherents", b.EVM, b.Native, b.Inherents)),
			amount("burned", b.Burned, token), amount(token.TreasuryLabel(), b.Treasury, token), amount("author", b.Author, token),
		}
		for t, err := range s.Ledger.Book.PaidInAssets(r.Context(), ledger.Query{Span: chain.Heights{First: height, Last: height}}) {
			if err != nil {
				return nil, err
			}
			v.Facts = append(v.Facts, textFact("paid in an asset by "+t.Place().String(), t.AssetFee.Text(token.Amount)))
		}
		if height > 0 {
			v.Around = append(v.Around, link{"Previous block", fmt.Sprintf("block/%d", height-1)})
		}
		v.Around = append(v.Around, link{"Next block", fmt.Sprintf("block/%d", height+1)})
		v.Downloads = transactionDownloads(&scope{Period: fmt.Sprintf("%d..%d", height, height)}, nil)
		var paid []*ledger.Transaction
		for t, err := range s.Ledger.Book.Transactions(r.Context(), ledger.Query{Span: chain.Heights{First: height, Last: height}}) {
			if err != nil {
				return nil, err
			}
			paid = append(paid, t)
		}
		list, err := s.pageSheet(r.Context(), token, paid)
		if err != nil {
			return nil, err
		}
		return v, v.add(s.list(list, l.without(briefTransactions), at(fmt.Sprintf("block/%d", height))))
	})
}
