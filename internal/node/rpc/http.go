package rpc

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
)

// overHTTP sends each message in its own HTTP request.
type overHTTP struct {
	asker *httpclient.Client
	ids   atomic.Uint64
}

func (h *overHTTP) close() { h.asker.Close() }

func (h *overHTTP) ask(ctx context.Context, questions []question) ([]message, error) {
	count := uint64(len(questions))
	first := h.ids.Add(count) - count + 1
	text, err := encode(first, questions)
	if err != nil {
		return nil, err
	}
	answer, err := h.asker.Post(ctx, text)
	switch {
	case err != nil:
		return nil, err
	case !answer.IsSuccess():
		return nil, h.asker.Refused("", answer)
	case answer.IsWebPage():
		return nil, h.asker.WebPage(answer)
	}
	messages, batch, err := decodeMessages(answer.Text)
	if err != nil {
		return nil, err
	}
	if count == 1 {
		return messages, answersOne(messages[0], batch, first)
	}
	return inOrder(messages, batch, first, questions)
}

// answersOne checks that m is the only answer to a request.
func answersOne(m message, batch bool, id uint64) error {
	want := strconv.FormatUint(id, 10)
	switch {
	case batch:
		return &DecodeError{"answer", errBatch}
	case m.notice != nil || m.id != want && (m.id != "" || m.failure == nil):
		return &DecodeError{"answer", fmt.Errorf("it does not answer request %s", want)}
	}
	return nil
}

// inOrder checks that there is one answer to each request of a batch, and sorts them in the order of the requests.
func inOrder(messages []message, batch bool, first uint64, questions []question) ([]message, error) {
	if !batch {
		if messages[0].failure != nil {
			return nil, &batchError{messages[0].failure}
		}
		return nil, &DecodeError{"answer", errors.New("a single answer to several requests")}
	}
	answers, told := make([]message, len(questions)), make([]bool, len(questions))
	for _, m := range messages {
		id, err := strconv.ParseUint(m.id, 10, 64)
		i := id - first
		if err != nil || i >= uint64(len(questions)) || told[i] {
			return nil, &DecodeError{"answer", fmt.Errorf("it contains an answer to request %s, which was not sent or is answered twice", jsonscan.Excerpt(m.id))}
		}
		answers[i], told[i] = m, true
	}
	if len(messages) < len(questions) {
		return nil, &DecodeError{"answer", fmt.Errorf("%d requests were sent, but %d were answered", len(questions), len(messages))}
	}
	return answers, nil
}
