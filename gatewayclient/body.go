package gatewayclient

import (
	"context"
	"io"
	"net/http"
	"strings"
)

// WithMaxBody returns a context under which an answer may have at most so many
// bytes, where [Options].MaxBody allows more. A larger one is [ErrTooLarge], and is
// not read further. Archives heed it too.
func WithMaxBody(ctx context.Context, most int) context.Context {
	return context.WithValue(ctx, maxBodyKey{}, most)
}

// MaxBody is the number of bytes that an answer under ctx may have: at most most.
func MaxBody(ctx context.Context, most int) int {
	if asked, ok := ctx.Value(maxBodyKey{}).(int); ok {
		return min(asked, most)
	}
	return most
}

type maxBodyKey struct{}

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
	most := int64(MaxBody(r.Context(), t.most))
	if answer.ContentLength > most {
		return nil, ErrTooLarge
	}
	var text strings.Builder
	text.Grow(int(max(answer.ContentLength, 0)))
	n, err := io.Copy(&text, io.LimitReader(answer.Body, most+1))
	switch {
	case err != nil:
		return nil, err
	case n > most:
		return nil, ErrTooLarge
	}
	in.text = text.String()
	answer.Body = http.NoBody
	return answer, nil
}
