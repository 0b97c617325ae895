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

// Gateway answers from the archive as Substrate API Sidecar would from the node.
func (a *Archive) Gateway() (*gateway.Gateway, error) {
	lowest, err := a.Base()
	if err != nil {
		return nil, err
	}
	return gateway.Of(a, lowest, a.manifest.Last), nil
}

// Handler serves those answers. What the chain may have and the archive lacks is an error of
// status 500 that says so.
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

// Answer answers a question. What is refused does not tell the archive's place on this
// machine.
func (s *answers) Answer(ctx context.Context, question string) (string, error) {
	text, err := s.gateway.Answer(ctx, question)
	var refused *render.RefusedError
	if err == nil || errors.Is(err, chain.ErrNotOffered) || errors.As(err, &refused) {
		return text, err
	}
	return "", render.Refused(http.StatusInternalServerError, "%s", strings.ReplaceAll(err.Error(), s.archive.name+": ", ""))
}
