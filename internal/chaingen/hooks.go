package chaingen

import _ "embed"

// trieNodes is what a recorded setValidationData has of the relay chain's state.
//
//go:embed trie_nodes.json
var trieNodes string

// writeInherents writes the four extrinsics that the author puts first.
func (c *Chain) writeInherents(w *writer, height uint64) {
	if height == 0 {
		return
	}
	r := c.random(forInherent, height)
	c.writeInherent(w, &r, "timestamp", "set", 244_378_000, func() {
		w.key("now")
		w.number(timeOf(height))
	})
	c.writeInherent(w, &r, "parachainSystem", "setValidationData", 86_298_000, func() {
		root := r.word()
		w.raw(`"data":{"validationData":{"parentHead":"0x"`)
		w.key("relayParentNumber")
		w.number(1000 + 2*height)
		w.key("relayParentStorageRoot")
		w.hex(root[:])
		w.raw(`"maxPovSize":"5242880"},"relayChainState":{"trieNodes":`)
		w.close(trieNodes)
		w.close(`},"downwardMessages":[],"horizontalMessages":{}}`)
	})
	c.writeInherent(w, nil, "authorInherent", "kickOffAuthorshipValidation", 357_160_000, func() {})
	c.writeInherent(w, nil, "randomness", "setBabeRandomnessResults", 514_744_000, func() {})
}

// writeInherent writes one. Those without arguments have the same hash in all blocks.
func (c *Chain) writeInherent(w *writer, r *random, pallet, name string, refTime uint64, args func()) {
	if r == nil {
		same := c.random(forInherent, refTime<<32)
		r = &same
	}
	hash := r.word()
	w.method(pallet, name)
	w.close(`,"signature":null,"nonce":null,"args":{`)
	args()
	w.close(`},"tip":null`)
	w.key("hash")
	w.hex(hash[:])
	w.close(`,"info":{},"era":{"immortalEra":"0x00"},"events":[`)
	w.event("system", "ExtrinsicSuccess")
	pays := "No"
	if pallet == "timestamp" { // it says so, and pays nothing
		pays = "Yes"
	}
	w.info(refTime, 0, "Mandatory", pays)
	w.endEvent()
	w.close(`],"success":true,"paysFee":false}`)
}

const (
	round       = 1800 // blocks
	payouts     = 64   // blocks at the beginning of a round, each of which pays one collator and those who back it
	mostBackers = 24
)

// writeRewards writes what staking does before the first extrinsic: a new round, and
// its payouts.
func (c *Chain) writeRewards(w *writer, height uint64) {
	if height == 0 || height%round >= payouts {
		return
	}
	r := c.random(forRound, height)
	if height%round == 0 {
		w.event("parachainStaking", "NewRound")
		w.number(height)
		w.number(height / round)
		w.number(collators)
		w.text("100000000000000000000000000")
		w.endEvent()
		bond := c.account(firstCollator + collators)
		c.writeReward(w, height, bond, "ReservedForParachainBond", &r)
		return
	}
	c.writeReward(w, height, c.author(height), "Rewarded", &r)
	for range r.between(1, mostBackers) {
		c.writeReward(w, height, c.someone(&r, height), "Rewarded", &r)
	}
}

// writeReward writes that somebody was given coins. The runtimes deposit them; after
// the upgrade they are minted here, so that both are in the chain.
func (c *Chain) writeReward(w *writer, height uint64, to *account, name string, r *random) {
	amount := wei(1 + r.below(20_000_000_000_000_000))
	event := "Deposit"
	if c.executedBy(height) >= firstMints {
		event = "Minted"
	}
	w.balance(event, to, amount)
	w.event("parachainStaking", name)
	w.text(to.text)
	w.coins(amount)
	w.endEvent()
}

// writeMessages writes what happens after the last extrinsic: now and then, a message
// to the relay chain.
func (c *Chain) writeMessages(w *writer, height uint64) {
	r := c.random(forInherent, ^height)
	if height == 0 || !r.oneIn(40) {
		return
	}
	hash := r.word()
	w.event("parachainSystem", "UpwardMessageSent")
	w.hex(hash[:])
	w.endEvent()
}
