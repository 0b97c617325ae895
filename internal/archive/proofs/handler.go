package proofs

import (
	"net/http"

	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/node/gateway"
)

// Gateway returns a gateway that answers from the archive as Substrate API Sidecar would from the node.
func (a *Archive) Gateway() (*gateway.Gateway, error) {
	lowest, err := a.Base()
	if err != nil {
		return nil, err
	}
	return gateway.Of(a, lowest, a.manifest.Last), nil
}

// Handler serves those answers, as [archive.Handler] does.
func (a *Archive) Handler() (http.Handler, error) {
	gateway, err := a.Gateway()
	if err != nil {
		return nil, err
	}
	return archive.Handler(a.name, gateway), nil
}
