package keys

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/crypto/scrypt"
	"golang.org/x/crypto/sha3"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// ErrPassword means that a password does not open a keystore.
var ErrPassword = errors.New("wrong password for the keystore")

// The limits for a keystore's parameters: a hostile file could otherwise exhaust memory or time.
const (
	maxMemory     = 1 << 30 // of scrypt, in bytes
	maxWork       = 1 << 26 // N × r × p of scrypt; N = 2^18, r = 8, p = 1 is common
	maxIterations = 10_000_000
)

// FromKeystore opens an Ethereum keystore file, version 3.
//
//	derived = scrypt or PBKDF2-HMAC-SHA256 of the password, 32 bytes
//	mac     = keccak-256 of derived[16:32] + ciphertext
//	key     = AES-128-CTR of the ciphertext with derived[0:16] and the iv
//
// Source: Web3 Secret Storage Definition.
func FromKeystore(text, password []byte) (*Key, error) {
	v, err := jsonscan.Parse(string(text))
	if err == nil {
		err = v.CheckKeys() // other programs read keys in any case
	}
	if err != nil {
		return nil, fmt.Errorf("not a keystore file: %w", err)
	}
	store, err := readKeystore(v)
	if err != nil {
		return nil, fmt.Errorf("keystore: %w", err)
	}
	derived, err := store.derive(password)
	if err != nil {
		return nil, fmt.Errorf("keystore: %w", err)
	}
	defer clear(derived)
	mac := sha3.NewLegacyKeccak256()
	mac.Write(derived[16:32])
	mac.Write(store.ciphertext)
	if subtle.ConstantTimeCompare(mac.Sum(nil), store.mac) == 0 {
		return nil, ErrPassword
	}
	block, err := aes.NewCipher(derived[:16])
	if err != nil {
		return nil, err
	}
	plain := make([]byte, len(store.ciphertext))
	defer clear(plain)
	cipher.NewCTR(block, store.iv).XORKeyStream(plain, store.ciphertext)
	key, err := Of(plain)
	if err != nil {
		return nil, fmt.Errorf("keystore: %w", err)
	}
	if claimed, err := chain.ParseAddress("0x" + store.address); store.address != "" && (err != nil || claimed != key.address) {
		key.Wipe()
		return nil, errors.New("keystore: the address does not match the key")
	}
	return key, nil
}

// keystore is a parsed file.
type keystore struct {
	ciphertext, iv, mac []byte
	address             string // "" if not stated
	derive              func(password []byte) ([]byte, error)
}

func readKeystore(v jsonscan.Value) (s keystore, err error) {
	if version, err := jsonread.Uint64(v.Member("version")); err != nil || version != 3 {
		return s, errors.New("want one of version 3")
	}
	crypto := v.Member("crypto")
	if crypto.Kind() == jsonscan.Absent {
		crypto = v.Member("Crypto") // as some programs write it
	}
	s.address, _ = v.Member("address").Text()
	if len(s.address) > 2 && s.address[:2] == "0x" {
		s.address = s.address[2:]
	}
	if name, _ := crypto.Member("cipher").Text(); name != "aes-128-ctr" {
		return s, fmt.Errorf("unsupported cipher %q: want aes-128-ctr", jsonscan.Excerpt(name))
	}
	for _, part := range []struct {
		name string
		of   jsonscan.Value
		size int
		to   *[]byte
	}{
		{"ciphertext", crypto, 32, &s.ciphertext},
		{"mac", crypto, 32, &s.mac},
		{"iv", crypto.Member("cipherparams"), aes.BlockSize, &s.iv},
	} {
		if *part.to, err = hexMember(part.of, part.name); err == nil && len(*part.to) != part.size {
			err = fmt.Errorf("%s: want %d bytes, have %d", part.name, part.size, len(*part.to))
		}
		if err != nil {
			return s, err
		}
	}
	s.derive, err = readDerivation(crypto)
	return s, err
}

func hexMember(v jsonscan.Value, name string) ([]byte, error) {
	text, ok := v.Member(name).Text()
	bytes, err := hex.DecodeString(text)
	if !ok || err != nil {
		return nil, fmt.Errorf("%s: want hex digits", name)
	}
	return bytes, nil
}

// readDerivation returns the function that derives a key from the password.
func readDerivation(crypto jsonscan.Value) (func([]byte) ([]byte, error), error) {
	const size = 32
	of := crypto.Member("kdfparams")
	salt, err := hexMember(of, "salt")
	if err != nil {
		return nil, err
	}
	if n, err := jsonread.Uint64(of.Member("dklen")); err != nil || n != size {
		return nil, errors.New("dklen: want 32")
	}
	switch kdf, _ := crypto.Member("kdf").Text(); kdf {
	case "scrypt":
		var numbers [3]uint64
		for i, name := range []string{"n", "r", "p"} {
			if numbers[i], err = jsonread.Uint64(of.Member(name)); err != nil || numbers[i] == 0 || numbers[i] > maxWork {
				return nil, fmt.Errorf("%s of scrypt: want a number from 1 to %d", name, maxWork)
			}
		}
		n, r, p := numbers[0], numbers[1], numbers[2]
		if n*r > maxMemory/128 || n*r > maxWork/p || r*p > 1<<20 {
			return nil, fmt.Errorf("scrypt with n %d, r %d, p %d takes too much memory or time", n, r, p)
		}
		return func(password []byte) ([]byte, error) {
			return scrypt.Key(password, salt, int(n), int(r), int(p), size)
		}, nil
	case "pbkdf2":
		if prf, _ := of.Member("prf").Text(); prf != "hmac-sha256" {
			return nil, fmt.Errorf("unsupported prf %q: want hmac-sha256", jsonscan.Excerpt(prf))
		}
		c, err := jsonread.Uint64(of.Member("c"))
		if err != nil || c == 0 || c > maxIterations {
			return nil, fmt.Errorf("c of pbkdf2: want a number from 1 to %d", maxIterations)
		}
		return func(password []byte) ([]byte, error) {
			return pbkdf2.Key(sha256.New, string(password), salt, int(c), size)
		}, nil
	default:
		return nil, fmt.Errorf("unsupported kdf %q: want scrypt or pbkdf2", jsonscan.Excerpt(kdf))
	}
}
