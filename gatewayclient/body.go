package gatewayclient

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/feeledger/fees/sidecar"
)

// intake takes in an answer's text, to the byte.
type intake struct{ text string }

type intakeKey struct{}

// withIntake returns a context under which the transport reads a body whole, into the
// intake, and not as it is asked for.
func withIntake(ctx context.Context) (context.Context, *intake) {
	in := &intake{}
	return context.WithValue(ctx, intakeKey{}, in), in
}

func intakeOf(ctx context.Context) *intake {
	in, _ := ctx.Value(intakeKey{}).(*intake)
	return in
}

// wholeBodies is a transport that reads bodies to their end, in no more memory than they
// take: an attempt in which that fails has failed.
type wholeBodies struct {
	http.RoundTripper
	most int
}

func (t wholeBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.RoundTripper.RoundTrip(r)
	in := intakeOf(r.Context())
	if err != nil || in == nil {
		return answer, err
	}
	defer answer.Body.Close()
	most := int64(sidecar.MaxBody(r.Context(), t.most))
	if answer.ContentLength > most {
		return nil, sidecar.ErrTooLarge
	}
	var text strings.Builder
	text.Grow(int(max(answer.ContentLength, 0)))
	n, err := io.Copy(&text, io.LimitReader(answer.Body, most+1))
	switch {
	case err != nil:
		return nil, err
	case n > most:
		return nil, sidecar.ErrTooLarge
	}
	in.text = text.String()
	answer.Body = http.NoBody
	return answer, nil
}
