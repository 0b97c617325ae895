package scalejson

import (
	"slices"
	"strings"

	"golang.org/x/crypto/blake2b"
)

// SS58 returns an account in Substrate's text form: its network, its bytes and a checksum, in base 58.
//
// Source: docs.substrate.io, SS58 address format.
func SS58(account []byte, network uint16) string {
	bytes := append(ss58Network(network), account...)
	sum := blake2b.Sum512(append([]byte("SS58PRE"), bytes...))
	return base58(append(bytes, sum[:2]...))
}

// ss58Network returns the prefix of a network.
func ss58Network(network uint16) []byte {
	if network > 63 {
		return []byte{byte(network&0xfc>>2) | 0x40, byte(network>>8) | byte(network&3<<6)}
	}
	return []byte{byte(network)}
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

// maxBase58 is more than the number of digits of an account.
const maxBase58 = 64

// unbase58 decodes the output of base58, and rejects everything else.
func unbase58(text string) []byte {
	if len(text) > maxBase58 {
		return nil
	}
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
