package nodeclient

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/wire"
)

// overHTTP asks each question in an HTTP request of its own.
type overHTTP struct {
	asker *ask.Client
	ids   atomic.Uint64
}

func (h *overHTTP) close() { h.asker.Close() }

func (h *overHTTP) ask(ctx context.Context, method string, params []any) (message, error) {
	id := h.ids.Add(1)
	question, err := encode(id, method, params)
	if err != nil {
		return message{}, err
	}
	answer, err := h.asker.Post(ctx, question)
	switch {
	case err != nil:
		return message{}, err
	case !answer.IsSuccess():
		return message{}, refusal(h.asker, answer.Status, answer.Header, answer.Text)
	case answer.IsWebPage():
		return message{}, h.asker.WebPage()
	}
	m, err := decodeMessage(answer.Text)
	if err != nil {
		return message{}, err
	}
	if want := strconv.FormatUint(id, 10); m.notice != nil || m.id != want && (m.id != "" || m.failure == nil) {
		return message{}, &DecodeError{"answer", fmt.Errorf("it is not the one to question %s", want)}
	}
	return m, nil
}

// refusal is the error for an answer with a status that was not wanted.
func refusal(asker *ask.Client, status int, header http.Header, text string) error {
	body, _ := wire.Parse(text)
	said, ok := body.Member("error").Member("message").Text()
	if !ok {
		said, _ = body.Member("message").Text()
	}
	return asker.Refused("", status, header, wire.Excerpt(said))
}
