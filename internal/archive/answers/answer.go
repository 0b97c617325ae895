package answers

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/httpclient"
)

// answer is a text to store under a path, or already stored there.
type answer struct {
	path, text string
	there      bool
}

var errTooLarge = errors.New("larger than any answer should be")

// find returns the text stored under a path if it passes the check.
func (r *recorder) find(path string, check func(text string) error) (answer, bool) {
	text, err := r.kept.readFile(path, httpclient.DefaultMaxAnswer)
	if err != nil || check(text) != nil {
		return answer{}, false
	}
	if r.listed != nil && r.listed[path] != archive.PieceOf(path, text) {
		return answer{}, false
	}
	return answer{path, text, true}, true
}

// obtain returns the text stored under a path if it passes the check, or else asks the gateway. Slots limit the
// concurrent requests.
func (r *recorder) obtain(ctx context.Context, path, request string, check func(text string) error) (answer, error) {
	if a, ok := r.find(path, check); ok {
		return a, nil
	}
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
	text, err := r.gateway.Get(httpclient.Checked(ctx, func(text string) error {
		if err := check(text); !errors.Is(err, archive.ErrNotFinal) { // not an error of the answer
			return err
		}
		return nil
	}), request)
	if err == nil && len(text) > httpclient.DefaultMaxAnswer {
		err = errTooLarge
	}
	if err == nil {
		err = check(text)
	}
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", request, err)
	}
	return answer{path: path, text: text}, nil
}

// keep writes an answer to its own file, unless it exists, and lists it.
func (r *recorder) keep(a answer) error {
	if !a.there {
		r.wrote = true
		if err := r.disk.Write(a.path, a.text); err != nil {
			return err
		}
	}
	r.manifest.Pieces = append(r.manifest.Pieces, archive.PieceOf(a.path, a.text))
	return nil
}
