package chaingen

import (
	"crypto/ecdsa"
	"math/bits"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/feeledger/fees/chain"
)

// account is an account or a contract. Those that were used last are kept.
type account struct {
	id      uint64
	address chain.Address
	key     *ecdsa.PrivateKey // of an account, where the chain is signed
}

// The ids of accounts. Each class has room for its members.
const (
	hotAccounts     = 63
	regularAccounts = 20_000

	firstRegular   = 1 << 16
	firstCollator  = 1 << 24
	firstContract  = 1 << 28
	firstCold      = 1 << 32 // and block height × 16 + index, in the block that they are first seen in
	firstCreated   = 1 << 48 // likewise: contracts that the chain has seen the creation of
	firstNimbusKey = 1 << 60
	firstHolder    = 1 << 61 // those that a rooted chain's state has, and no event
)

const (
	collators     = 72
	hotContracts  = 63
	coldContracts = 4_000
)

const cachedAccounts = 1 << 14

// account is the one with an id.
func (c *Chain) account(id uint64) *account {
	slot := &c.accounts[mix(id)%cachedAccounts]
	if a := slot.Load(); a != nil && a.id == id {
		return a
	}
	a := &account{id: id}
	r := c.random(forAccount, id)
	if c.options.Signed && !isContract(id) {
		a.key = newKey(&r)
		a.address = chain.Address(crypto.PubkeyToAddress(a.key.PublicKey))
	} else {
		r.fill(a.address[:])
	}
	slot.Store(a)
	return a
}

func isContract(id uint64) bool {
	return id >= firstContract && id < firstCold || id >= firstCreated
}

// newKey is a private key: all but a few of 2^128 words are one.
func newKey(r *random) *ecdsa.PrivateKey {
	for {
		word := r.word()
		if key, err := crypto.ToECDSA(word[:]); err == nil {
			return key
		}
	}
}

// zipf is a number from 0 to 2^width-2: each is drawn about half as often as the
// one of half its size.
func zipf(r *random, width int) uint64 {
	size := uint64(1) << r.below(uint64(width))
	return size - 1 + r.below(size)
}

// someone is an account that was there before: a hot one more often than not, one
// of some thousand regulars, or one of those that were first seen in a block up to
// this height.
func (c *Chain) someone(r *random, height uint64) *account {
	switch n := r.below(100); {
	case n < 55:
		return c.account(zipf(r, bits.Len(hotAccounts)))
	case n < 92:
		return c.account(firstRegular + r.below(regularAccounts))
	}
	return c.account(coldID(r.between(1, height), r.below(4)))
}

// coldID is the account that is first seen in a block.
func coldID(height, index uint64) uint64 { return firstCold + height<<4 + index }

// contract is one of a few that everybody calls, or of some thousand others.
func (c *Chain) contract(r *random) *account {
	if r.below(4) > 0 {
		return c.account(firstContract + zipf(r, bits.Len(hotContracts)))
	}
	return c.account(firstContract + hotContracts + r.below(coldContracts))
}

// author is the account of the block's author, by turns.
func (c *Chain) author(height uint64) *account { return c.account(firstCollator + height%collators) }

// nimbusKey is what the gateway says of the author: the beginning of its key.
func (c *Chain) nimbusKey(height uint64) *account {
	return c.account(firstNimbusKey + height%collators)
}
