package keys

import (
	"errors"
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/btcutil/hdkeychain"
	"github.com/btcsuite/btcd/chaincfg"
	"github.com/tyler-smith/go-bip39"
)

// MostIndex is the highest index of an account.
const MostIndex = hdkeychain.HardenedKeyStart - 1

// path is the way to the accounts of Ethereum below a master key, without their index
// (BIP-44): m/44'/60'/0'/0.
var path = [...]uint32{hdkeychain.HardenedKeyStart + 44, hdkeychain.HardenedKeyStart + 60, hdkeychain.HardenedKeyStart, 0}

// errNotPhrase does not have the phrase.
var errNotPhrase = errors.New("it is no mnemonic phrase: want 12, 15, 18, 21 or 24 English words of BIP-39, whose checksum is right")

// FromMnemonic is the key at m/44'/60'/0'/0/index of a phrase. The passphrase of BIP-39 is "" where there is none.
func FromMnemonic(phrase []byte, passphrase string, index uint32) (*Key, error) {
	if index > MostIndex {
		return nil, fmt.Errorf("index %d: want at most %d", index, uint32(MostIndex))
	}
	words := strings.Join(strings.Fields(strings.ToLower(string(phrase))), " ")
	seed, err := bip39.NewSeedWithErrorChecking(words, passphrase)
	if err != nil {
		return nil, errNotPhrase
	}
	defer clear(seed)
	return FromSeed(seed, append(path[:], index)...)
}

// FromSeed is the key at a path below the master key of a seed (BIP-32). Elements of 2^31 and
// more are hardened.
func FromSeed(seed []byte, path ...uint32) (*Key, error) {
	extended, err := hdkeychain.NewMaster(seed, &chaincfg.MainNetParams) // the network is in no key
	if err != nil {
		return nil, errors.New("the seed gives no key")
	}
	for _, element := range path {
		below, err := extended.Derive(element)
		extended.Zero()
		if err != nil {
			return nil, fmt.Errorf("the path gives no key at %d", element)
		}
		extended = below
	}
	defer extended.Zero()
	private, err := extended.ECPrivKey()
	if err != nil {
		return nil, errors.New("the seed gives no key")
	}
	defer private.Zero()
	bytes := private.Serialize()
	defer clear(bytes)
	return Of(bytes)
}
