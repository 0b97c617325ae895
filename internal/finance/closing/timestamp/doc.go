// Package timestamp requests timestamps of a text from an authority (RFC 3161) and verifies them later, offline.
// "openssl ts -verify" accepts what [Authority.Ask] returns.
//
// An authority's certificate must be valid at the time of the timestamp, not at the time of the check: timestamps
// outlive certificates.
package timestamp
