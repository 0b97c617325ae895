package proofs

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/substrate/render"
)

// Gateway returns a gateway that answers from the archive as Substrate API Sidecar would from the node.
func (a *Archive) Gateway() (*gateway.Gateway, error) {
	lowest, err := a.Base()
	if err != nil {
		return nil, err
	}
	return gateway.Of(a, lowest, a.manifest.Last), nil
}

// Handler serves those answers. Data that the chain may have but the archive lacks results in status 500 with an
// explanation.
func (a *Archive) Handler() (http.Handler, error) {
	gateway, err := a.Gateway()
	if err != nil {
		return nil, err
	}
	return reply.Handler(&answers{a, gateway}), nil
}

type answers struct {
	archive *Archive
	gateway *gateway.Gateway
}

// Answer answers a request. Errors do not reveal the archive's location on this machine.
func (s *answers) Answer(ctx context.Context, question string) (string, error) {
	text, err := s.gateway.Answer(ctx, question)
	var refused *render.RefusedError
	if err == nil || errors.Is(err, chain.ErrNotOffered) || errors.As(err, &refused) {
		return text, err
	}
	return "", render.Refused(http.StatusInternalServerError, "%s", strings.ReplaceAll(err.Error(), s.archive.name+": ", ""))
}
