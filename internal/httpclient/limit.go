package httpclient

import "context"

// WithMaxAnswer returns a context that limits the size of an answer, if the client allows more. A larger answer is
// [ErrTooLarge] and is not read to the end.
func WithMaxAnswer(ctx context.Context, bytes int) context.Context {
	return context.WithValue(ctx, maxAnswerKey{}, bytes)
}

// MaxAnswer returns the size limit of an answer under ctx: the context's, but at most allowed.
func MaxAnswer(ctx context.Context, allowed int) int {
	if asked, ok := ctx.Value(maxAnswerKey{}).(int); ok {
		return min(asked, allowed)
	}
	return allowed
}

type maxAnswerKey struct{}
