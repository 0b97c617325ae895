package chaingen

import (
	"crypto/ecdsa"
	"math/bits"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/feeledger/fees/chain"
)

// account is an account or a contract. The most recently used ones are cached.
type account struct {
	id      uint64
	address chain.Address
	key     *ecdsa.PrivateKey // of an account, if the chain is signed
}

// The IDs of accounts. Each class has a range for its members.
const (
	hotAccounts     = 63
	regularAccounts = 20_000

	firstRegular   = 1 << 16
	firstCollator  = 1 << 24
	firstContract  = 1 << 28
	firstCold      = 1 << 32 // plus block height × 16 + index in the block of its first appearance
	firstCreated   = 1 << 48 // likewise: contracts whose creation is on the chain
	firstNimbusKey = 1 << 60
	firstHolder    = 1 << 61 // in the state of a rooted chain, but in no event
)

const (
	collators     = 72
	hotContracts  = 63
	coldContracts = 4_000
)

const cachedAccounts = 1 << 14

// account returns the account with an ID.
func (c *Chain) account(id uint64) *account {
	slot := &c.accounts[mix(id)%cachedAccounts]
	if a := slot.Load(); a != nil && a.id == id {
		return a
	}
	a := &account{id: id}
	r := c.random(forAccount, id)
	if c.options.Signed && !isContract(id) {
		a.key = newKey(&r)
		a.address = chain.Address20(crypto.PubkeyToAddress(a.key.PublicKey))
	} else {
		var bytes [chain.AddressSize]byte
		r.fill(bytes[:])
		a.address = chain.Address20(bytes)
	}
	slot.Store(a)
	return a
}

func isContract(id uint64) bool {
	return id >= firstContract && id < firstCold || id >= firstCreated
}

// newKey returns a private key: nearly all of the 2^128 words are valid.
func newKey(r *random) *ecdsa.PrivateKey {
	for {
		word := r.word()
		if key, err := crypto.ToECDSA(word[:]); err == nil {
			return key
		}
	}
}

// zipf returns a number from 0 to 2^width-2: each is drawn about half as often as one half its size.
func zipf(r *random, width int) uint64 {
	size := uint64(1) << r.below(uint64(width))
	return size - 1 + r.below(size)
}

// someone returns an existing account: usually a hot one, otherwise one of some thousand regulars, or one that
// first appeared in a block up to this height.
func (c *Chain) someone(r *random, height uint64) *account {
	switch n := r.below(100); {
	case n < 55:
		return c.account(zipf(r, bits.Len(hotAccounts)))
	case n < 92:
		return c.account(firstRegular + r.below(regularAccounts))
	}
	return c.account(coldID(r.between(1, height), r.below(4)))
}

// coldID returns the ID of the account that first appears in a block.
func coldID(height, index uint64) uint64 { return firstCold + height<<4 + index }

// contract returns one of a few popular contracts, or of some thousand others.
func (c *Chain) contract(r *random) *account {
	if r.below(4) > 0 {
		return c.account(firstContract + zipf(r, bits.Len(hotContracts)))
	}
	return c.account(firstContract + hotContracts + r.below(coldContracts))
}

// author returns the account of the block's author, in rotation.
func (c *Chain) author(height uint64) *account { return c.account(firstCollator + height%collators) }

// nimbusKey returns the gateway's author: the start of its key.
func (c *Chain) nimbusKey(height uint64) *account {
	return c.account(firstNimbusKey + height%collators)
}
