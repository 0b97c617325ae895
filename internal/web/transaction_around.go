package web

import (
	"context"
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
)

// before are the numbers of blocks that are searched for the transaction before another one, each only if the ones
// before have none.
var before = []uint64{0, 10, 200}

// aroundTransaction returns links to the transactions before and after one, if there are any near.
func (s *server) aroundTransaction(ctx context.Context, at ledger.Place) (links []link, err error) {
	find := func(q app.TransactionsRequest) ([]*ledger.Transaction, error) {
		q.Period.Partial = true
		list, err := s.Ledger.Transactions(ctx, q)
		var lacking *app.NotHeldError
		switch {
		case errors.As(err, &lacking): // not sealed yet
			return nil, nil
		case err != nil:
			return nil, err
		}
		return list.List, nil
	}
	for _, blocks := range before {
		list, err := find(app.TransactionsRequest{Period: app.Heights(at.Height-min(at.Height, blocks), at.Height), Limit: maxListed})
		if err != nil {
			return nil, err
		}
		var last chain.Optional[ledger.Place]
		for _, t := range list {
			if place := t.Place(); place.Height < at.Height || place.Row < at.Row {
				last = chain.Some(place)
			}
		}
		if place, ok := last.Get(); ok {
			links = append(links, link{"Previous transaction", "tx/" + place.String()})
			break
		}
	}
	for _, blocks := range before[1:] {
		list, err := find(app.TransactionsRequest{Period: app.Heights(at.Height, at.Height+blocks), After: chain.Some(at), Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			return append(links, link{"Next transaction", "tx/" + list[0].Place().String()}), nil
		}
	}
	return links, nil
}
