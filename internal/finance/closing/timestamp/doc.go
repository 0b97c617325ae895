// Package timestamp has an authority say when a text was there (RFC 3161), and proves later,
// without it, that it did. What [Authority.Ask] answers, "openssl ts -verify" reads.
//
// An authority's certificate is to be valid at the time that it says, and not for ever: a
// timestamp outlives it.
package timestamp
