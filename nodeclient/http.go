package nodeclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/feeledger/fees/wire"
)

// errTooLarge is what is wrong with an answer of more than MaxMessage bytes.
var errTooLarge = errors.New("the answer is larger than is allowed")

// overHTTP asks each question in an HTTP request of its own.
type overHTTP struct {
	carrier
	client *resty.Client
	ids    atomic.Uint64
}

func newHTTP(c carrier) *overHTTP {
	client := resty.NewWithClient(c.http).
		SetResponseBodyLimit(c.maxMessage).
		SetHeader("Content-Type", "application/json").
		SetHeader("Accept", "application/json").
		SetDisableWarn(true).
		SetLogger(silent{})
	for name := range c.header {
		client.SetHeader(name, c.header.Get(name))
	}
	return &overHTTP{carrier: c, client: client}
}

// silent keeps resty from writing to standard error.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}

func (h *overHTTP) close() { h.http.CloseIdleConnections() }

func (h *overHTTP) ask(ctx context.Context, method string, params []any) (message, error) {
	id := h.ids.Add(1)
	question, err := encode(id, method, params)
	if err != nil {
		return message{}, err
	}
	var m message
	err = h.attempts.do(ctx, func() (err error) {
		m, err = h.post(ctx, id, question)
		return err
	})
	return m, err
}

func (h *overHTTP) post(ctx context.Context, id uint64, question []byte) (message, error) {
	answer, err := h.client.R().SetContext(ctx).SetBody(question).Post(h.address)
	if err != nil {
		return message{}, h.noAnswer(ctx, err)
	}
	text := answer.String()
	if !answer.IsSuccess() {
		return message{}, h.statusError(answer.RawResponse, text)
	}
	if strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html") || strings.HasPrefix(text, "<") {
		return message{}, fmt.Errorf("the answer is a web page, %w: is %s a node's address?", ErrNotJSON, h.node)
	}
	m, err := decodeMessage(text)
	if err != nil {
		return message{}, err
	}
	if want := strconv.FormatUint(id, 10); m.notice != nil || m.id != want && (m.id != "" || m.failure == nil) {
		return message{}, &DecodeError{"answer", fmt.Errorf("it is not the one to question %s", want)}
	}
	return m, nil
}

// noAnswer says why none came, without the URL that net/http's errors name.
func (c *carrier) noAnswer(ctx context.Context, err error) error {
	var inner *url.Error
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, resty.ErrResponseBodyTooLarge):
		err = fmt.Errorf("%w: more than %d bytes", errTooLarge, c.maxMessage)
	case errors.As(err, &inner):
		err = inner.Err
	}
	return &UnreachableError{c.node, err}
}

// statusError is for an answer with that status and text.
func (c *carrier) statusError(answer *http.Response, text string) error {
	body, _ := wire.Parse(text)
	message, ok := body.Member("error").Member("message").Text()
	if !ok {
		message, _ = body.Member("message").Text()
	}
	return &StatusError{
		Node:       c.node,
		Code:       answer.StatusCode,
		Message:    wire.Excerpt(message),
		RetryAfter: retryAfter(answer.Header.Get("Retry-After")),
	}
}

// retryAfter reads seconds or a date (RFC 9110, 10.2.3); 0 where it is neither.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
