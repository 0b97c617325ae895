package timestamp

import (
	"context"
	"crypto/x509"
	"time"
)

// Suffix is appended to the name of a file for the name of its timestamp.
const Suffix = ".tsr"

// Checked is a timestamp with the result of its check.
type Checked struct {
	Time      time.Time // when the text existed; zero if not readable
	Authority string    // the issuing authority; "" without a list of authorities
	Wrong     string    // why it is not valid or not accepted, "" if it is
}

// Check verifies that an authority's response is a timestamp of a text. It must be by one of the authorities,
// unless none are given.
func Check(ctx context.Context, response, text []byte, authorities *x509.CertPool) *Checked {
	stamp, err := Read(response)
	if err != nil {
		return &Checked{Wrong: err.Error()}
	}
	checked := &Checked{Time: stamp.Time()}
	err = stamp.Check(text)
	if err == nil && authorities != nil {
		checked.Authority, err = stamp.By(ctx, authorities)
	}
	if err != nil {
		checked.Wrong = err.Error()
	}
	return checked
}
