package answers

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/internal/httpclient"
)

// answer is a text to be kept under a path, or kept there already.
type answer struct {
	path, text string
	there      bool
}

var errTooLarge = errors.New("it is larger than any answer should be")

// find is what is kept under a path and holds.
func (r *recorder) find(path string, check func(text string) error) (answer, bool) {
	text, err := r.kept.readFile(path)
	if err != nil || check(text) != nil {
		return answer{}, false
	}
	if want, ok := r.listed[path]; ok && sum(text) != want || r.listed != nil && !ok {
		return answer{}, false
	}
	return answer{path, text, true}, true
}

// obtain is what is kept under a path and holds, or else what the gateway answers
// to a question. No more questions are under way at once than there are places.
func (r *recorder) obtain(ctx context.Context, path, question string, check func(text string) error) (answer, error) {
	if a, ok := r.find(path, check); ok {
		return a, nil
	}
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
	text, err := r.gateway.Answer(httpclient.Checked(ctx, func(text string) error {
		if err := check(text); !errors.Is(err, ErrNotFinal) { // which is no mistake
			return err
		}
		return nil
	}), question)
	if err == nil && len(text) > httpclient.DefaultMaxAnswer {
		err = errTooLarge
	}
	if err == nil {
		err = check(text)
	}
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", question, err)
	}
	return answer{path: path, text: text}, nil
}

// keep writes an answer into a file of its own, unless it is there, and lists it.
func (r *recorder) keep(a answer) error {
	if !a.there {
		r.wrote = true
		if err := r.disk.Write(a.path, a.text); err != nil {
			return err
		}
	}
	r.manifest.Pieces = append(r.manifest.Pieces, pieceOf(a.path, a.text))
	return nil
}
