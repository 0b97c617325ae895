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

// ErrNoAnswer reports that an authority did not return a timestamp of the text.
var ErrNoAnswer = failure.New(failure.Unanswered, "the time-stamping authority returned no timestamp")

// Authority is a client of a time-stamping authority.
type Authority struct {
	stamper tspclient.Timestamper
}

// at sends requests for a host to the full address. Errors then name only the host, because a path may
// contain a key.
type at struct{ address *url.URL }

func (a at) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL = a.address
	return http.DefaultTransport.RoundTrip(r)
}

// unredirected treats redirects as responses, which are not timestamps.
func unredirected(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// patience is the timeout of a request to an authority.
const patience = time.Minute

// NewAuthority returns a client of the authority at a URL, without a request. Errors show the URL without
// its path.
func NewAuthority(address string) (*Authority, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("not an http or https URL of a time-stamping authority")
	}
	if u.User != nil || u.RawQuery != "" {
		return nil, errors.New("remove the user, password or key from the URL: other users of this machine can see it")
	}
	client := &http.Client{Timeout: patience, Transport: at{u}, CheckRedirect: unredirected}
	stamper, err := tspclient.NewHTTPTimestamper(client, u.Scheme+"://"+u.Host)
	return &Authority{stamper}, err
}

// Ask requests a timestamp of a text. The authority receives only its SHA-256.
func (a *Authority) Ask(ctx context.Context, text []byte) (response []byte, err error) {
	request, err := tspclient.NewRequest(tspclient.RequestOptions{Content: text, HashAlgorithm: crypto.SHA256})
	if err != nil {
		return nil, err
	}
	answer, err := a.stamper.Timestamp(ctx, request)
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
