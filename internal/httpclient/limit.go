package httpclient

import "context"

// WithMaxAnswer returns a context under which an answer may have at most so many
// bytes, where who is asked allows more. A larger one is [ErrTooLarge], and is not read
// further.
func WithMaxAnswer(ctx context.Context, bytes int) context.Context {
	return context.WithValue(ctx, maxAnswerKey{}, bytes)
}

// MaxAnswer is the number of bytes that an answer under ctx may have, where it may have
// at most allowed in any case.
func MaxAnswer(ctx context.Context, allowed int) int {
	if asked, ok := ctx.Value(maxAnswerKey{}).(int); ok {
		return min(asked, allowed)
	}
	return allowed
}

type maxAnswerKey struct{}
