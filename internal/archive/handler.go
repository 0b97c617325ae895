package archive

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/substrate/render"
)

// Handler serves the answers of the archive with a name. Data that the chain may have but the archive lacks results in
// status 500 with an explanation. It does not contain the name, which is the archive's place on this machine.
func Handler(name string, from reply.Answers) http.Handler {
	return reply.Handler(nameless{name, from})
}

type nameless struct {
	name string
	from reply.Answers
}

func (n nameless) Get(ctx context.Context, path string) (string, error) {
	text, err := n.from.Get(ctx, path)
	var refused *render.RefusedError
	if err == nil || errors.Is(err, chain.ErrNotOffered) || errors.As(err, &refused) {
		return text, err
	}
	return "", render.Refused(http.StatusInternalServerError, "%s", strings.ReplaceAll(err.Error(), n.name+": ", ""))
}
