package chain

import (
	"encoding/hex"
	"fmt"
	"strings"

	"golang.org/x/crypto/sha3"

	"github.com/feeledger/fees/internal/jsonscan"
)

// Address is an account on the chain: 20 bytes, the same on both layers.
type Address [20]byte

// ParseAddress parses an address that a person typed: 0x and 40 hex digits, with letters all lower case, all
// upper case, or in the mixed case of a valid EIP-55 checksum.
func ParseAddress(text string) (a Address, err error) {
	if err = decodeHex(a[:], text, "an address"); err != nil {
		return a, err
	}
	digits, written := text[2:], a.String()
	if text != written && digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) {
		return Address{}, fmt.Errorf("%q has an invalid EIP-55 checksum. If every digit is correct, write %s", text, written)
	}
	return a, nil
}

// read parses an address from a gateway, in any case.
func (Address) read(v Value) (a Address, err error) {
	err = readHex(a[:], v, "an address")
	return a, err
}

// String returns the address with its EIP-55 checksum: a hex letter is upper case where the matching half-byte
// of the hash of the lower-case digits is 8 or more.
func (a Address) String() string {
	digits := make([]byte, 40)
	hex.Encode(digits, a[:])
	keccak := sha3.NewLegacyKeccak256()
	keccak.Write(digits)
	sum := keccak.Sum(nil)
	for i, c := range digits {
		half := sum[i/2] >> 4
		if i%2 == 1 {
			half = sum[i/2] & 15
		}
		if c > '9' && half >= 8 {
			digits[i] = c - 'a' + 'A'
		}
	}
	return "0x" + string(digits)
}

// MarshalText encodes the address as [Address.String] does.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText parses the address as [ParseAddress] does.
func (a *Address) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAddress(string(text))
	return err
}

// Hash identifies a block, an extrinsic or an EVM transaction: 32 bytes.
type Hash [32]byte

// ParseHash parses 0x and 64 hex digits in any case.
func ParseHash(text string) (h Hash, err error) {
	err = decodeHex(h[:], text, "a hash")
	return h, err
}

// read parses a hash from a gateway.
func (Hash) read(v Value) (h Hash, err error) {
	err = readHex(h[:], v, "a hash")
	return h, err
}

// String returns 0x and 64 lower-case hex digits.
func (h Hash) String() string { return "0x" + hex.EncodeToString(h[:]) }

// MarshalText encodes the hash as [Hash.String] does.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText parses the hash as [ParseHash] does.
func (h *Hash) UnmarshalText(text []byte) (err error) {
	*h, err = ParseHash(string(text))
	return err
}

func readHex(into []byte, v Value, what string) error {
	text, ok := v.Text()
	switch {
	case ok:
		return decodeHex(into, text, what)
	case v.Kind() == jsonscan.Absent || v.Kind() == jsonscan.Null:
		return ErrMissing
	}
	return fmt.Errorf("want %s, have %v", what, v.Kind())
}

// decodeHex decodes 0x and exactly 2*len(into) hex digits.
func decodeHex(into []byte, text, what string) error {
	if len(text) != 2+2*len(into) || text[0] != '0' || text[1] != 'x' {
		return fmt.Errorf("%q is not %s: want 0x and %d hex digits", jsonscan.Excerpt(text), what, 2*len(into))
	}
	digits := text[2:]
	for i := range into {
		high, low := hexDigits[digits[2*i]], hexDigits[digits[2*i+1]]
		if high|low > 15 {
			clear(into)
			return fmt.Errorf("%q is not %s: want 0x and %d hex digits", jsonscan.Excerpt(text), what, 2*len(into))
		}
		into[i] = high<<4 | low
	}
	return nil
}
