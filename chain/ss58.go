package chain

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/failure"
)

// MaxSS58Prefix is the highest prefix of a chain in SS58.
const MaxSS58Prefix = 1<<14 - 1

const (
	anyPrefix    = 42 // of Substrate chains in general
	checksumSize = 2
	// Characters in the text of 32 bytes. A byte 0 at the start is one character.
	minSS58 = 35
	maxSS58 = 50
)

// SS58 returns an account of 32 bytes in Substrate's text form: the chain's prefix, up to 16383, the account and a
// checksum, in base 58. It returns an EVM address as [Address.String] does.
//
// Source: docs.substrate.io, SS58 address format.
func (a Address) SS58(prefix uint16) string {
	if !a.long {
		return a.String()
	}
	raw := append(ss58Prefix(prefix), a.bytes[:]...)
	sum := ss58Checksum(raw)
	return base58(append(raw, sum[:]...))
}

func ss58Prefix(prefix uint16) []byte {
	if prefix > 63 {
		return []byte{byte(prefix&0xfc>>2) | 0x40, byte(prefix>>8) | byte(prefix&3<<6)}
	}
	return []byte{byte(prefix)}
}

func ss58Checksum(raw []byte) [checksumSize]byte {
	sum := blake2b.Sum512(append([]byte("SS58PRE"), raw...))
	return [checksumSize]byte(sum[:])
}

// mayBeSS58 reports whether a text is SS58 rather than hex. Base 58 does not contain the digit 0.
func mayBeSS58(text string) bool {
	return len(text) >= minSS58 && len(text) <= maxSS58 && text[0] != '0'
}

// parseSS58 parses an account of 32 bytes in SS58, with any prefix.
func parseSS58(text string) (Address, error) {
	raw := unbase58(text)
	start := 1
	if len(raw) > 0 && raw[0] > 63 {
		start = 2
	}
	end := start + LongAddressSize
	switch {
	case len(raw) != end+checksumSize || raw[0] > 127: // 128 and above are reserved
		return Address{}, notSS58(text, "32 bytes")
	case ss58Checksum(raw[:end]) != [checksumSize]byte(raw[end:]):
		return Address{}, notSS58(text, "32 bytes with a valid checksum")
	}
	return Address32([LongAddressSize]byte(raw[start:end])), nil
}

func notSS58(text, want string) error {
	return fmt.Errorf("%q is not an address: want 0x and 40 hex digits, or SS58 of %s", failure.Excerpt(text), want)
}

const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

func base58(bytes []byte) string {
	var digits []byte // the last first
	for _, b := range bytes {
		carry := int(b)
		for i := range digits {
			carry += int(digits[i]) << 8
			digits[i] = byte(carry % 58)
			carry /= 58
		}
		for ; carry > 0; carry /= 58 {
			digits = append(digits, byte(carry%58))
		}
	}
	for i := 0; i < len(bytes) && bytes[i] == 0; i++ {
		digits = append(digits, 0)
	}
	text := make([]byte, len(digits))
	for i, d := range digits {
		text[len(text)-1-i] = base58Digits[d]
	}
	return string(text)
}

// unbase58 decodes the output of base58. It returns nil for any other text.
func unbase58(text string) []byte {
	var bytes []byte // the last first
	for i := range len(text) {
		carry := strings.IndexByte(base58Digits, text[i])
		if carry < 0 {
			return nil
		}
		for i := range bytes {
			carry += int(bytes[i]) * 58
			bytes[i] = byte(carry)
			carry >>= 8
		}
		for ; carry > 0; carry >>= 8 {
			bytes = append(bytes, byte(carry))
		}
	}
	for i := 0; i < len(text) && text[i] == base58Digits[0]; i++ {
		bytes = append(bytes, 0)
	}
	slices.Reverse(bytes)
	return bytes
}
