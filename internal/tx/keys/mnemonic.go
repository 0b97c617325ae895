package keys

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/tyler-smith/go-bip39"
)

// Hardened is the first path element whose keys cannot be derived from public ones.
const Hardened = 1 << 31

// MaxIndex is the highest index of an account.
const MaxIndex = Hardened - 1

// path is the derivation path of Ethereum accounts, without their index (BIP-44): m/44'/60'/0'/0.
var path = [...]uint32{Hardened + 44, Hardened + 60, Hardened, 0}

// errNotPhrase does not contain the phrase.
var errNotPhrase = errors.New("not a mnemonic phrase: want 12, 15, 18, 21 or 24 English words of BIP-39 with a valid checksum")

// FromMnemonic returns the key at m/44'/60'/0'/0/index of a phrase. The BIP-39 passphrase may be "".
func FromMnemonic(phrase []byte, passphrase string, index uint32) (*Key, error) {
	if index > MaxIndex {
		return nil, fmt.Errorf("index %d: want at most %d", index, uint32(MaxIndex))
	}
	words := strings.Join(strings.Fields(strings.ToLower(string(phrase))), " ")
	seed, err := bip39.NewSeedWithErrorChecking(words, passphrase)
	if err != nil {
		return nil, errNotPhrase
	}
	defer clear(seed)
	return FromSeed(seed, append(path[:], index)...)
}

// FromSeed returns the key at a path below the master key of a seed of 16 to 64 bytes (BIP-32). Elements from
// [Hardened] on are hardened.
func FromSeed(seed []byte, path ...uint32) (*Key, error) {
	var key secp256k1.PrivateKey
	defer key.Zero()
	chainCode := append(make([]byte, 0, 32), "Bitcoin seed"...)
	defer func() { clear(chainCode) }()
	if len(seed) < 16 || len(seed) > 64 || !derive(&key.Key, &chainCode, seed) {
		return nil, errors.New("the seed does not yield a valid key")
	}
	var data [37]byte // a byte for the kind, the key or its point's x, and the element
	defer clear(data[:])
	for _, element := range path {
		if element >= Hardened {
			data[0] = 0
			key.Key.PutBytesUnchecked(data[1:33])
		} else {
			copy(data[:], key.PubKey().SerializeCompressed())
		}
		binary.BigEndian.PutUint32(data[33:], element)
		if !derive(&key.Key, &chainCode, data[:]) {
			return nil, fmt.Errorf("the path does not yield a valid key at %d", element)
		}
	}
	bytes := key.Serialize()
	defer clear(bytes)
	return Of(bytes)
}

// derive adds the left half of a keyed hash to a key, and replaces its chain code by the right half. It
// returns false for the one result in 2^127 that BIP-32 forbids.
func derive(key *secp256k1.ModNScalar, chainCode *[]byte, data []byte) bool {
	mac := hmac.New(sha512.New, *chainCode)
	mac.Write(data)
	sum := mac.Sum(nil)
	defer clear(sum)
	var more secp256k1.ModNScalar
	defer more.Zero()
	overflow := more.SetByteSlice(sum[:32])
	key.Add(&more)
	*chainCode = append((*chainCode)[:0], sum[32:]...)
	return !overflow && !key.IsZero()
}
