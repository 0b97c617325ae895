package chain

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/sha3"

	"github.com/feeledger/fees/internal/failure"
)

// Address is an account: 20 bytes, as on the EVM, or 32 bytes, as natively on most chains. The zero value is 20 zero
// bytes.
type Address struct {
	bytes [32]byte // those after the first 20 are zero unless long
	long  bool
}

// Sizes of an [Address] in bytes.
const (
	AddressSize     = 20
	LongAddressSize = 32
)

// Address20 returns the address of 20 bytes.
func Address20(b [AddressSize]byte) (a Address) {
	copy(a.bytes[:], b[:])
	return a
}

// Address32 returns the address of 32 bytes.
func Address32(b [LongAddressSize]byte) Address { return Address{bytes: b, long: true} }

// AddressOf returns the address of 20 or 32 bytes. It returns an error for any other number.
func AddressOf(b []byte) (Address, error) {
	switch len(b) {
	case AddressSize:
		return Address20([AddressSize]byte(b)), nil
	case LongAddressSize:
		return Address32([LongAddressSize]byte(b)), nil
	}
	return Address{}, fmt.Errorf("an account has 20 or 32 bytes, not %d", len(b))
}

// Size returns the number of bytes, 20 or 32.
func (a Address) Size() int {
	if a.long {
		return LongAddressSize
	}
	return AddressSize
}

// Bytes returns a copy of the bytes.
func (a Address) Bytes() []byte { return a.bytes[:a.Size()] }

// EVM returns the address as the EVM has it. It returns an error if the address has 32 bytes.
func (a Address) EVM() (evm [AddressSize]byte, err error) {
	if a.long {
		return evm, fmt.Errorf("%v: want an EVM address, 0x and 40 hex digits", a)
	}
	return [AddressSize]byte(a.bytes[:]), nil
}

// Compare orders addresses by their bytes, the short ones first.
func (a Address) Compare(b Address) int {
	return cmp.Or(cmp.Compare(a.Size(), b.Size()), bytes.Compare(a.bytes[:], b.bytes[:]))
}

// ParseAddress parses an address of 20 bytes that a person typed: 0x and 40 hex digits, with letters all lower case, all
// upper case, or in the mixed case of a valid EIP-55 checksum.
func ParseAddress(text string) (a Address, err error) {
	if account, err := ParseAccount(text); err == nil && account.long {
		return Address{}, fmt.Errorf("%q has 32 bytes. Name an EVM address: 0x and 40 hex digits", text)
	}
	if err = decodeHex(a.bytes[:AddressSize], text, "an address"); err == nil {
		err = a.checkCase(text)
	}
	if err != nil {
		return Address{}, err
	}
	return a, nil
}

// ParseAccount is [ParseAddress] for accounts of 20 or 32 bytes. One of 32 bytes is in SS58, with any prefix, or 0x and 64
// hex digits.
func ParseAccount(text string) (a Address, err error) {
	switch {
	case len(text) == 2+2*LongAddressSize && strings.HasPrefix(text, "0x"):
		if err = decodeHex(a.bytes[:], text, "an address"); err == nil {
			a.long = true
		}
		return a, err
	case mayBeSS58(text):
		return parseSS58(text)
	}
	if decodeHex(a.bytes[:AddressSize], text, "an address") != nil {
		return Address{}, notSS58(text, "32 bytes")
	}
	if err = a.checkCase(text); err != nil {
		return Address{}, err
	}
	return a, nil
}

// checkCase checks the EIP-55 checksum of an address of 20 bytes in mixed case.
func (a Address) checkCase(text string) error {
	digits, written := text[2:], a.String()
	if text != written && digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) {
		return fmt.Errorf("%q has an invalid EIP-55 checksum. If every digit is correct, write %s", text, written)
	}
	return nil
}

// ReadAddress parses an address that a gateway or a node wrote: 0x and 40 hex digits in any case, or SS58.
func ReadAddress(text string) (a Address, err error) {
	if mayBeSS58(text) {
		return parseSS58(text)
	}
	err = decodeHex(a.bytes[:AddressSize], text, "an address")
	return a, err
}

// String returns an address of 20 bytes with its EIP-55 checksum: a hex letter is upper case where the matching
// half-byte of the hash of the lower-case digits is 8 or more. It returns one of 32 bytes in SS58, with the prefix 42
// of all Substrate chains.
func (a Address) String() string {
	if a.long {
		return a.SS58(anyPrefix)
	}
	digits := make([]byte, 40)
	hex.Encode(digits, a.bytes[:AddressSize])
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

// Plain returns the address as gateways accept it in any case: 0x and 40 lower-case hex digits, or SS58.
func (a Address) Plain() string {
	if a.long {
		return a.String()
	}
	return "0x" + hex.EncodeToString(a.bytes[:AddressSize])
}

// MarshalText encodes the address as [Address.String] does.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText parses the address as [ParseAccount] does.
func (a *Address) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAccount(string(text))
	return err
}

// Hash identifies a block, an extrinsic or an EVM transaction: 32 bytes.
type Hash [32]byte

// ParseHash parses 0x and 64 hex digits in any case.
func ParseHash(text string) (h Hash, err error) {
	err = decodeHex(h[:], text, "a hash")
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

// decodeHex decodes 0x and exactly 2*len(into) hex digits, 20 or 32 bytes.
func decodeHex(into []byte, text, what string) error {
	if len(text) != 2+2*len(into) || text[0] != '0' || text[1] != 'x' {
		return fmt.Errorf("%q is not %s: want 0x and %d hex digits", failure.Excerpt(text), what, 2*len(into))
	}
	if !decodeDigits(into, text[2:]) {
		clear(into)
		return fmt.Errorf("%q is not %s: want 0x and %d hex digits", failure.Excerpt(text), what, 2*len(into))
	}
	return nil
}

// ReadBytes parses 0x and any even number of hex digits.
func ReadBytes(text string) ([]byte, error) {
	digits, prefixed := strings.CutPrefix(text, "0x")
	if !prefixed || len(digits)%2 != 0 {
		return nil, errNotHex
	}
	list := make([]byte, len(digits)/2)
	whole := len(list) &^ 3
	if !decodeDigits(list[:whole], digits[:2*whole]) {
		return nil, errNotHex
	}
	if _, err := hex.Decode(list[whole:], []byte(digits[2*whole:])); err != nil {
		return nil, errNotHex
	}
	return list, nil
}

var errNotHex = errors.New("want 0x and hex digits")

// decodeDigits decodes twice as many hex digits, eight at once. The number of bytes is a multiple of 4.
func decodeDigits(into []byte, digits string) bool {
	const each, highBits = 0x0101010101010101, 0x8080808080808080
	right := uint64(highBits) // has the high bit of each byte in which all bytes so far were digits
	for len(into) >= 4 && len(digits) >= 8 {
		d := digits[:8]
		x := uint64(d[0]) | uint64(d[1])<<8 | uint64(d[2])<<16 | uint64(d[3])<<24 |
			uint64(d[4])<<32 | uint64(d[5])<<40 | uint64(d[6])<<48 | uint64(d[7])<<56
		lower := x | 0x20*each
		right &= ((x+(0x80-'0')*each)&^(x+(0x7f-'9')*each) | (lower+(0x80-'a')*each)&^(lower+(0x7f-'f')*each)) &^ x
		value := x&(0x0f*each) + 9*(x>>6&each)             // letters are the digits from 10 on
		value = (value<<4 | value>>8) & 0x00ff00ff00ff00ff // the first digit is in the lowest byte
		value = (value | value>>8) & 0x0000ffff0000ffff
		binary.LittleEndian.PutUint32(into, uint32(value|value>>16))
		into, digits = into[4:], digits[8:]
	}
	return right&highBits == highBits
}
