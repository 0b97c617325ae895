package timestamp

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/notaryproject/tspclient-go"

	"github.com/feeledger/fees/internal/failure"
)

// ErrNoAnswer says that an authority did not answer, or not with a timestamp of the text.
var ErrNoAnswer = failure.New(failure.Unanswered, "the time-stamping authority gives no timestamp")

// Authority gives timestamps.
type Authority struct {
	asked tspclient.Timestamper
}

// at sends what is asked of a host to the address that is meant: errors name the host alone,
// for a path may hold a key.
type at struct{ address *url.URL }

func (a at) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL = a.address
	return http.DefaultTransport.RoundTrip(r)
}

// unredirected has a redirect be an answer like any other, which is no timestamp.
func unredirected(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// patience is how long an authority may take.
const patience = time.Minute

// NewAuthority is the authority at a URL, which is not asked yet. Errors show the URL without
// its path.
func NewAuthority(address string) (*Authority, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("want the http or https URL of a time-stamping authority")
	}
	if u.User != nil || u.RawQuery != "" {
		return nil, errors.New("a user, a password or a key does not belong into the URL, where others on this machine can see it")
	}
	client := &http.Client{Timeout: patience, Transport: at{u}, CheckRedirect: unredirected}
	asked, err := tspclient.NewHTTPTimestamper(client, u.Scheme+"://"+u.Host)
	return &Authority{asked}, err
}

// Ask asks for a timestamp of a text, of which the authority sees the SHA-256 alone.
func (a *Authority) Ask(ctx context.Context, text []byte) (response []byte, err error) {
	question, err := tspclient.NewRequest(tspclient.RequestOptions{Content: text, HashAlgorithm: crypto.SHA256})
	if err != nil {
		return nil, err
	}
	answer, err := a.asked.Timestamp(ctx, question)
	if err != nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("%w: %w", ErrNoAnswer, err))
	}
	if response, err = answer.MarshalBinary(); err == nil {
		_, err = Read(response)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	return response, nil
}
