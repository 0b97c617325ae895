package timestamp

import (
	"context"
	"crypto/x509"
	"time"
)

// Suffix is what the name of a timestamp's file has behind the name of the file that it is of.
const Suffix = ".tsr"

// Checked is a timestamp with what came of its check.
type Checked struct {
	Time      time.Time // when the text was there; zero where it cannot be read
	Authority string    // whose word that is; "" where it was checked against nobody
	Wrong     string    // why it does not hold or does not count, "" where it does
}

// Check checks that an authority's answer is a timestamp of a text. It must be by one of the
// authorities, unless there are none to check it against.
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
