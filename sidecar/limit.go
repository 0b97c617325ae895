package sidecar

import (
	"context"
	"errors"
)

// DefaultMaxBody is how many bytes an answer may have, where nobody says otherwise.
const DefaultMaxBody = 32 << 20

// ErrTooLarge says that an answer has more bytes than it may have.
var ErrTooLarge = errors.New("the answer is larger than any block should be")

// WithMaxBody returns a context under which an answer may have at most so many
// bytes, where who is asked allows more. A larger one is [ErrTooLarge], and is not read
// further.
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

// ErrNotJSON says that an answer is something else, such as a web page.
var ErrNotJSON = errors.New("not JSON")
