package keys_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tyler-smith/go-bip39"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx/recovery"
	"github.com/feeledger/fees/internal/tx/keys"
)

func unhex(t testing.TB, text string) []byte {
	bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	require.NoError(t, err)
	return bytes
}

// ofExtended returns the private key in an extended one: base58 of its version, depth, fingerprint, element
// and chain code, then the key, and a checksum.
func ofExtended(text string) []byte {
	n := new(big.Int)
	for _, digit := range text {
		n.Mul(n, big.NewInt(58))
		n.Add(n, big.NewInt(int64(strings.IndexRune("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", digit))))
	}
	return n.FillBytes(make([]byte, 82))[4+1+4+4+32+1:][:32]
}

// BIP-32's own vectors: seed, path, and the resulting extended key.
func TestSeeds(t *testing.T) {
	const h = keys.Hardened
	for _, c := range []struct {
		seed, extended string
		path           []uint32
	}{
		{"000102030405060708090a0b0c0d0e0f", "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi", nil},
		{"000102030405060708090a0b0c0d0e0f", "xprv9uHRZZhk6KAJC1avXpDAp4MDc3sQKNxDiPvvkX8Br5ngLNv1TxvUxt4cV1rGL5hj6KCesnDYUhd7oWgT11eZG7XnxHrnYeSvkzY7d2bhkJ7", []uint32{h}},
		{"000102030405060708090a0b0c0d0e0f", "xprvA41z7zogVVwxVSgdKUHDy1SKmdb533PjDz7J6N6mV6uS3ze1ai8FHa8kmHScGpWmj4WggLyQjgPie1rFSruoUihUZREPSL39UNdE3BBDu76", []uint32{h, 1, h + 2, 2, 1000000000}},
		// Vector 2, of a seed of 64 bytes.
		{"fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542", "xprvA2nrNbFZABcdryreWet9Ea4LvTJcGsqrMzxHx98MMrotbir7yrKCEXw7nadnHM8Dq38EGfSh6dqA9QWTyefMLEcBYJUuekgW4BYPJcr9E7j", []uint32{0, h + 2147483647, 1, h + 2147483646, 2}},
		// A hardened key that starts with zeros (vector 3).
		{"4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be", "xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L", []uint32{h}},
	} {
		expected, err := keys.Of(ofExtended(c.extended))
		require.NoError(t, err)
		key, err := keys.FromSeed(unhex(t, c.seed), c.path...)
		require.NoError(t, err)
		require.Equal(t, expected.Address(), key.Address())
	}
	for _, size := range []int{0, 15, 65} {
		_, err := keys.FromSeed(make([]byte, size))
		require.ErrorContains(t, err, "the seed does not yield a valid key")
	}
}

// A vector of BIP-39: phrase and passphrase, and the resulting seed.
func TestPhraseSeed(t *testing.T) {
	phrase := strings.Repeat("abandon ", 11) + "about"
	seed, err := bip39.NewSeedWithErrorChecking(phrase, "TREZOR")
	require.NoError(t, err)
	require.Equal(t, "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04", hex.EncodeToString(seed))
	const h = keys.Hardened
	of, err := keys.FromSeed(seed, h+44, h+60, h, 0, 7)
	require.NoError(t, err)
	key, err := keys.FromMnemonic([]byte(phrase), "TREZOR", 7)
	require.NoError(t, err)
	require.Equal(t, of.Address(), key.Address())
}

// The accounts of well-known phrases, at m/44'/60'/0'/0/i.
func TestMnemonic(t *testing.T) {
	for phrase, accounts := range map[string][]string{
		"bottom drive obey lake curtain smoke basket hold race lonely fit walk": {
			"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac", "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0", "0x798d4Ba9baf0064Ec19eB4F0a1a45785ae9D6DFc",
			"0x773539d4Ac0e786233D90A233654ccEE26a613D9", "0xFf64d3F6efE2317EE2807d223a0Bdc4c0c49dfDB",
		},
		"test test test test test test test test test test test junk": {
			"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
		},
	} {
		for i, account := range accounts {
			key, err := keys.FromMnemonic([]byte("  "+strings.ReplaceAll(phrase, " ", "\n ")+"\n"), "", uint32(i))
			require.NoError(t, err)
			require.Equal(t, account, key.Address().String())
		}
	}
	for _, wrong := range []string{"", "test", "test test test test test test test test test test test test", "bottom drive obey lake"} {
		_, err := keys.FromMnemonic([]byte(wrong), "", 0)
		require.ErrorContains(t, err, "not a mnemonic phrase")
		if wrong != "" {
			require.NotContains(t, err.Error(), "test test")
		}
	}
	_, err := keys.FromMnemonic([]byte("x"), "", 1<<31)
	require.ErrorContains(t, err, "index")
}

// The vectors of the Web3 Secret Storage Definition.
var stores = map[string]string{
	"pbkdf2": `{"crypto":{"cipher":"aes-128-ctr","cipherparams":{"iv":"6087dab2f9fdbbfaddc31a909735c1e6"},"ciphertext":"5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",` +
		`"kdf":"pbkdf2","kdfparams":{"c":262144,"dklen":32,"prf":"hmac-sha256","salt":"ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"},` +
		`"mac":"517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"},"id":"3198bc9c-6672-5ab3-d995-4942343ae5b6","version":3}`,
	"scrypt": `{"crypto":{"cipher":"aes-128-ctr","cipherparams":{"iv":"83dbcc02d8ccb40e466191a123791e0e"},"ciphertext":"d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",` +
		`"kdf":"scrypt","kdfparams":{"dklen":32,"n":262144,"r":1,"p":8,"salt":"ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19"},` +
		`"mac":"2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097"},"id":"3198bc9c-6672-5ab3-d995-4942343ae5b6","version":3}`,
}

const storedKey = "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d"

func TestKeystore(t *testing.T) {
	want, err := keys.ParseHex([]byte(storedKey))
	require.NoError(t, err)
	for name, text := range stores {
		key, err := keys.FromKeystore([]byte(text), []byte("testpassword"))
		require.NoError(t, err, name)
		require.Equal(t, want.Address(), key.Address(), name)
	}
	_, err = keys.FromKeystore([]byte(stores["pbkdf2"]), []byte("wrong"))
	require.ErrorIs(t, err, keys.ErrPassword)
	for _, c := range []struct{ from, to, says string }{
		{`"version":3`, `"version":4`, "version 3"},
		{`aes-128-ctr`, `aes-256-ctr`, "cipher"},
		{`"c":262144`, `"c":4000000000`, "c of pbkdf2"},
		{`hmac-sha256`, `hmac-md5`, "prf"},
		{`"dklen":32`, `"dklen":64`, "dklen"},
		{`"kdf":"pbkdf2"`, `"kdf":"none"`, "kdf"},
		{`"iv":"60`, `"iv":"`, "iv"},
		{`"version":3`, `"version":3,"address":"f24ff3a9cf04c71dbc94d0b566f7a27b94566cac"`, "the address does not match the key"},
	} {
		_, err := keys.FromKeystore([]byte(strings.Replace(stores["pbkdf2"], c.from, c.to, 1)), []byte("testpassword"))
		require.ErrorContains(t, err, c.says)
	}
	huge := strings.Replace(stores["scrypt"], `"n":262144,"r":1`, `"n":67108864,"r":8`, 1)
	_, err = keys.FromKeystore([]byte(huge), nil)
	require.ErrorContains(t, err, "too much memory or time")
}

func TestKeyIsNotShown(t *testing.T) {
	key, err := keys.ParseHex([]byte("0x" + storedKey + "\n"))
	require.NoError(t, err)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("signing", "key", key)
	marshalled, err := json.Marshal(key)
	require.NoError(t, err)
	secret := &keys.Secret{Bytes: []byte(storedKey)}
	shown := fmt.Sprintf("%v %+v %#v %s %x %d %v %x", key, key, key, key, key, key, secret, secret) + log.String() + string(marshalled)
	require.NotContains(t, strings.ToLower(shown), storedKey[:8])
	require.NotContains(t, shown, fmt.Sprint(unhex(t, storedKey)[0], " ", unhex(t, storedKey)[1]))
	for _, wrong := range []string{storedKey + "00", storedKey[2:], "zz" + storedKey[2:], strings.Repeat("00", 32), strings.Repeat("ff", 32)} {
		_, err := keys.ParseHex([]byte(wrong))
		require.ErrorContains(t, err, "not a private key")
		require.NotContains(t, err.Error(), storedKey[4:20])
	}
}

func TestWiped(t *testing.T) {
	key, err := keys.ParseHex([]byte(storedKey))
	require.NoError(t, err)
	signature, err := key.Sign(chain.Hash{1})
	require.NoError(t, err)
	signer, err := recovery.Signer(chain.Hash{1}, signature)
	require.NoError(t, err)
	require.Equal(t, key.Address(), signer)
	key.Wipe()
	_, err = key.Sign(chain.Hash{1})
	require.ErrorContains(t, err, "wiped")
	secret := &keys.Secret{Bytes: []byte(storedKey)}
	secret.Wipe()
	require.Equal(t, make([]byte, len(storedKey)), secret.Bytes)
}

func TestSecretFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, []byte(storedKey+"\n"), 0o600))
	s, err := keys.ReadSecret(path)
	require.NoError(t, err)
	require.Equal(t, storedKey, string(s.Line()))
	if runtime.GOOS != "windows" {
		for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o644} {
			require.NoError(t, os.Chmod(path, mode))
			_, err = keys.ReadSecret(path)
			require.ErrorContains(t, err, "chmod 600")
		}
		require.NoError(t, os.Chmod(path, 0o600))
	}
	require.NoError(t, os.WriteFile(path, make([]byte, 1<<17), 0o600))
	_, err = keys.ReadSecret(path)
	require.ErrorContains(t, err, "larger than")
	_, err = keys.ReadSecret(t.TempDir())
	require.Error(t, err)
}

func FuzzKeystore(f *testing.F) {
	for _, text := range stores {
		f.Add(strings.Replace(strings.Replace(text, "262144", "2", 1), `"c":262144`, `"c":1`, 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 || strings.Contains(text, "scrypt") && len(text) > 700 {
			return
		}
		if key, err := keys.FromKeystore([]byte(strings.ReplaceAll(text, "0000", "")), []byte("x")); err == nil {
			key.Wipe()
		}
	})
}
