package scalejson

import "golang.org/x/crypto/blake2b"

// SS58 is an account in Substrate's own form: its network, its bytes and a checksum, in base 58.
//
// Source: docs.substrate.io, SS58 address format.
func SS58(account []byte, network uint16) string {
	bytes := []byte{byte(network)}
	if network > 63 {
		bytes = []byte{byte(network&0xfc>>2) | 0x40, byte(network>>8) | byte(network&3<<6)}
	}
	bytes = append(bytes, account...)
	sum := blake2b.Sum512(append([]byte("SS58PRE"), bytes...))
	return base58(append(bytes, sum[:2]...))
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
