package chaingen

// writeInherents writes the author's four inherents.
func (c *Chain) writeInherents(x *extrinsics, e *events, height uint64) {
	r := c.random(forInherent, height)
	writeInherent(x, e, "Timestamp.set", 244_378_000, func() { x.compact(c.timeOf(height)) })
	writeInherent(x, e, "ParachainSystem.set_validation_data", 86_298_000, func() {
		x.blob(nil) // the parent's head
		x.u32(1000 + 2*height)
		x.hash(r.word())
		x.u32(5 << 20)
		x.raw(x.runtime.relay...)
		x.compact(0) // downward messages
		x.compact(0) // and from other chains
	})
	writeInherent(x, e, "AuthorInherent.kick_off_authorship_validation", 357_160_000, func() {})
	writeInherent(x, e, "Randomness.set_babe_randomness_results", 514_744_000, func() {})
}

// writeInherent writes one.
func writeInherent(x *extrinsics, e *events, call string, refTime uint64, args func()) {
	e.during(applying, uint64(len(x.ends)))
	x.begin()
	x.raw(unsigned)
	x.call(call)
	args()
	x.end()
	pays := call == "Timestamp.set" // declares it, but pays nothing
	e.succeeded(refTime, 0, mandatory, pays)
}

const (
	round      = 1800 // blocks
	payouts    = 64   // blocks at the start of a round, each of which pays one collator and its delegators
	maxBackers = 24
)

// writeRewards writes the staking events before the first extrinsic: a new round, and its payouts.
func (c *Chain) writeRewards(e *events, height uint64) {
	if height%round >= payouts {
		return
	}
	r := c.random(forRound, height)
	if height%round == 0 {
		e.event("ParachainStaking.NewRound")
		e.u32(height)
		e.u32(height / round)
		e.u32(collators)
		e.coins(coins{thousandths: 100_000_000_000}) // staked
		e.end()
		bond := c.account(firstCollator + collators)
		writeReward(e, bond, "ParachainStaking.ReservedForParachainBond", &r)
		return
	}
	writeReward(e, c.author(height), "ParachainStaking.Rewarded", &r)
	for range r.between(1, maxBackers) {
		writeReward(e, c.someone(&r, height), "ParachainStaking.Rewarded", &r)
	}
}

// writeReward writes a reward of coins. The runtimes deposit them; after the upgrade they are minted here, so
// that both forms occur on the chain.
func writeReward(e *events, to *account, name string, r *random) {
	amount := wei(1 + r.below(20_000_000_000_000_000))
	event := "Balances.Deposit"
	if e.runtime.version >= firstMints {
		event = "Balances.Minted"
	}
	e.balance(event, to, amount)
	e.balance(name, to, amount)
}

// upward is the event of a message to the relay chain. The metadata of the first runtime do not contain it.
const upward = "ParachainSystem.UpwardMessageSent"

// writeMessages writes the events after the last extrinsic: occasionally, a message to the relay chain.
func (c *Chain) writeMessages(e *events, height uint64) {
	r := c.random(forInherent, ^height)
	if !e.runtime.has(upward) || !r.oneIn(40) {
		return
	}
	e.event(upward)
	e.raw(1) // with its hash
	e.hash(r.word())
	e.end()
}
