package web

import (
	"context"
	"net/http"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/finance/variance"
	"github.com/feeledger/fees/internal/sys/markup"
)

// changedPart says why a month's fees differ from those of the month before.
type changedPart struct {
	explained
	More link
}

func (c *changedPart) node() g.Node {
	if c == nil {
		return nil
	}
	parts := lines{markup.El("h2", markup.Text("What changed"))}
	if c.Steps != nil {
		parts = append(parts, c.explained.node())
	}
	return append(parts, linkLine("more", []link{c.More}))
}

// changedPart explains a complete month beside the one before. It reads the transactions of both: for all accounts of a
// chain, it only links to the page that does.
func (s *server) changedPart(r *http.Request, about *scope) (*changedPart, error) {
	made, err := s.keptVariance(r, about)
	c := &changedPart{More: link{"Why the fees changed", "variance" + about.query(nil)}}
	if made == nil || err != nil {
		return c, err
	}
	q := varianceRequest{scope: *about}
	c.explained = q.explain(made)
	c.More.Text = "All steps and calls"
	return c, nil
}

// keptVariance returns the variance of a complete month of some accounts; nil for all accounts. It stays the same while the
// ledger grows.
func (s *server) keptVariance(r *http.Request, about *scope) (*variance.Report, error) {
	if len(about.list()) == 0 {
		return nil, nil
	}
	inToken := *about
	inToken.Price = "" // the steps are in the token
	about = &inToken
	q := varianceRequest{scope: *about}
	var err error
	if q.Against, err = about.input().Against(""); err != nil {
		return nil, err
	}
	if q.Request, err = s.readRequest(about); err != nil {
		return nil, err
	}
	state, err := s.stateOf(r.Context(), q.Period)
	if err != nil {
		return nil, err
	}
	return keptOf(s, r, q.Period, s.variances, state.String(), "variance"+about.query(nil), true, func(ctx context.Context) (*variance.Report, error) {
		return s.Ledger.Variance(ctx, q.VarianceRequest)
	})
}
