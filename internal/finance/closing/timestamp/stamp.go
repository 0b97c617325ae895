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

// Stamp is a timestamp that was read. Nothing is known of who gave it.
type Stamp struct {
	token *tspclient.SignedToken
	info  *tspclient.TSTInfo
}

// MostBytes is how large an authority's answer may be: ten times those that one sees. A key
// in it that is as large is proved in seconds.
const MostBytes = 64 << 10

// Read reads an authority's answer.
func Read(response []byte) (*Stamp, error) {
	if len(response) > MostBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", MostBytes)
	}
	var answer tspclient.Response
	if rest, err := asn1.Unmarshal(response, &answer); err != nil || len(rest) > 0 {
		return nil, errors.New("it is no answer of a time-stamping authority")
	}
	token, err := answer.SignedToken()
	if err != nil {
		return nil, fmt.Errorf("it is no timestamp: %w", err)
	}
	info, err := token.Info()
	if err != nil {
		return nil, fmt.Errorf("it is no timestamp: %w", err)
	}
	return &Stamp{token, info}, nil
}

// Time is when the text was there, as the timestamp has it.
func (s *Stamp) Time() time.Time { return s.info.GenTime.UTC() }

// Check wants the timestamp to be of this text, whoever gave it.
func (s *Stamp) Check(text []byte) error {
	if _, err := s.info.Validate(text); err != nil {
		return errors.New("the timestamp is of other bytes, or was altered")
	}
	return nil
}

// By tells the name of the authority that gave the timestamp. Its certificate must lead to
// one of these, be for timestamps alone, and have been valid at the time that it says.
func (s *Stamp) By(ctx context.Context, authorities *x509.CertPool) (name string, err error) {
	chain, err := s.token.Verify(ctx, x509.VerifyOptions{Roots: authorities, CurrentTime: s.info.GenTime})
	if err != nil {
		return "", fmt.Errorf("the timestamp is not by a listed authority, or was altered: %w", err)
	}
	return chain[0].Subject.String(), nil
}

// MostAuthoritiesBytes is how large a file of certificates may be: some times a bundle of all
// authorities.
const MostAuthoritiesBytes = 4 << 20

// ReadAuthorities reads certificates of authorities, in PEM.
func ReadAuthorities(text []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, errors.New("it has no certificate in PEM (openssl x509 -inform der writes one of another form so)")
	}
	return pool, nil
}
