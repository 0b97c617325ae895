package timestamp

import (
	"context"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"time"

	"github.com/notaryproject/tspclient-go"
)

// Stamp is a parsed timestamp that has not been verified.
type Stamp struct {
	token *tspclient.SignedToken
	info  *tspclient.TSTInfo
}

// MaxBytes limits an authority's response to ten times the usual size. A key of that size in it is verified in
// seconds.
const MaxBytes = 64 << 10

// Read parses an authority's response.
func Read(response []byte) (*Stamp, error) {
	if len(response) > MaxBytes {
		return nil, fmt.Errorf("the timestamp is larger than %d bytes", MaxBytes)
	}
	var answer tspclient.Response
	if rest, err := asn1.Unmarshal(response, &answer); err != nil || len(rest) > 0 {
		return nil, errors.New("not a response of a time-stamping authority")
	}
	token, err := answer.SignedToken()
	if err != nil {
		return nil, fmt.Errorf("not a timestamp: %w", err)
	}
	info, err := token.Info()
	if err != nil {
		return nil, fmt.Errorf("not a timestamp: %w", err)
	}
	return &Stamp{token, info}, nil
}

// Time returns when the text existed, according to the timestamp.
func (s *Stamp) Time() time.Time { return s.info.GenTime.UTC() }

// Check verifies that the timestamp is for this text, by any authority.
func (s *Stamp) Check(text []byte) error {
	if _, err := s.info.Validate(text); err != nil {
		return errors.New("the timestamp is for other bytes or was altered")
	}
	return nil
}

// By verifies and names the authority that issued the timestamp. Its certificate must chain to one of the given ones,
// be for time stamping only, and have been valid at the time of the timestamp.
func (s *Stamp) By(ctx context.Context, authorities *x509.CertPool) (name string, err error) {
	chain, err := s.token.Verify(ctx, x509.VerifyOptions{Roots: authorities, CurrentTime: s.info.GenTime})
	if err != nil {
		return "", fmt.Errorf("the timestamp is not by a listed authority, or was altered: %w", err)
	}
	return chain[0].Subject.String(), nil
}

// MaxAuthoritiesBytes limits a file of certificates to a few times a bundle of all
// authorities.
const MaxAuthoritiesBytes = 4 << 20

// ReadAuthorities parses certificates of authorities, in PEM.
func ReadAuthorities(text []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("the file contains no PEM certificate (openssl x509 -inform der converts other formats)")
	}
	return pool, nil
}
