package evidence

import (
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// nonceStep is something in a block that tells of an account's nonce. Native
// transactions and EVM ones count in the same: it is the account's. Each raises it by
// one, however it ended.
//
// Source: frame system, CheckNonce; frontier, pallet ethereum,
// validate_transaction_in_block, and pallet evm, stack runner.
type nonceStep struct {
	what    nonceEffect
	account chain.Address
	nonce   uint64 // that was signed
	index   int    // of the extrinsic
}

type nonceEffect uint8

const (
	nonceUsed      nonceEffect = iota
	nonceMayRise               // of the account, by something that was not signed
	noncesMayRise              // of any account
	nonceForgotten             // the account was removed: if it comes back, it begins anew
	noncesForgotten
)

// nonceSteps lists what the block tells of nonces, in the order of the chain.
func (p *prover) nonceSteps(b *chain.Block) {
	p.hookSteps(b.OnInitialize)
	transactions := p.priced.Transactions
	for i := range b.Extrinsics {
		layer := fee.Inherent
		if len(transactions) > 0 && transactions[0].Index == i {
			layer = transactions[0].Layer
			p.transactionSteps(&transactions[0])
			transactions = transactions[1:]
		}
		p.eventSteps(layer, b.Extrinsics[i].Events)
	}
	p.hookSteps(b.OnFinalize)
}

func (p *prover) step(s nonceStep) { p.proved.steps = append(p.proved.steps, s) }

// transactionSteps are those of a transaction itself.
//
// Where an account that signs can have code (EIP-7702), code that runs as the account
// can create a contract, which raises its nonce: only a plain payment, of 21000 gas,
// runs none. An authorization raises the nonce of who gave it.
func (p *prover) transactionSteps(t *fee.Transaction) {
	from, signed := t.From.Get()
	nonce, known := t.Nonce.Get()
	if signed && known {
		p.step(nonceStep{nonceUsed, from, nonce.Uint64(), t.Index})
	}
	gas, _ := t.Gas.Get()
	plain := t.Layer == fee.EVM && gas.Uint64() == intrinsicGas
	switch {
	case !signed:
		p.step(nonceStep{what: noncesMayRise})
	case !known:
		p.step(nonceStep{what: nonceMayRise, account: from})
	}
	if !p.rules.NoSetCode && !plain {
		p.step(nonceStep{what: noncesMayRise})
	}
}

// hookSteps are those of the events of a hook, which can run code, too.
func (p *prover) hookSteps(events []chain.Event) {
	if len(events) > 0 && !p.rules.NoSetCode {
		p.step(nonceStep{what: noncesMayRise})
	}
	p.eventSteps(fee.Inherent, events)
}

// eventSteps are those of the events of an extrinsic, or of a hook.
func (p *prover) eventSteps(layer fee.Layer, events []chain.Event) {
	if layer == fee.Inherent && len(events) > 1 && !p.rules.NoSetCode {
		p.step(nonceStep{what: noncesMayRise})
	}
	executed := 0
	for i := range events {
		e := &events[i]
		switch e.Pallet {
		case "balances", "transactionPayment", "treasury":
		case "system":
			if e.Name == "KilledAccount" {
				p.killed(e)
			}
		case "ethereum":
			// The transaction's own is the last; others ran inside it, through XCM, as
			// do all in other extrinsics and in hooks.
			executed++
			if layer == fee.EVM && executed == executedIn(events) || e.Name != "Executed" {
				continue
			}
			if from, err := chain.Read[chain.Address](e.Data.Index(0)); err == nil {
				p.step(nonceStep{what: nonceMayRise, account: from})
			} else {
				p.step(nonceStep{what: noncesMayRise})
			}
		case "evm":
			// A contract's logs are of a call that was signed, but those of a native
			// call: an asset that is a contract is moved as by its owner.
			if e.Name != "Log" || layer == fee.Native {
				p.step(nonceStep{what: noncesMayRise})
			}
		default:
			if layer != fee.Inherent && sendsAssets(e.Pallet) {
				p.step(nonceStep{what: noncesMayRise})
			}
		}
	}
}

// killed is the step of an account's removal.
func (p *prover) killed(e *chain.Event) {
	account, err := chain.Read[chain.Address](e.Data.Index(0))
	if err != nil {
		p.step(nonceStep{what: noncesForgotten})
		return
	}
	p.step(nonceStep{what: nonceForgotten, account: account})
}

// executedIn counts the events ethereum.Executed.
func executedIn(events []chain.Event) (n int) {
	for i := range events {
		if events[i].Is("ethereum", "Executed") {
			n++
		}
	}
	return n
}

// sendsAssets tells by its name whether a pallet may send assets to other chains. One
// that is a contract is then moved by a call that its owner makes without signing
// it, which raises the owner's nonce (pallet erc20-xcm-bridge).
func sendsAssets(pallet string) bool {
	name := strings.ToLower(pallet)
	for _, part := range []string{"xcm", "xtokens", "erc20", "asset", "bridge"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// nonces is what is known of the accounts' nonces at a point of the chain. It holds
// those of the accounts seen last, twice maxNonces at most.
type nonces struct {
	recent, older map[chain.Address]expected
	risen         uint32 // how often any nonce may have risen
}

// expected is the next nonce of an account.
type expected struct {
	nonce   uint64
	block   uint64 // of the transaction before
	index   int    // its extrinsic
	risen   uint32 // of nonces, at that time
	mayRise bool
}

// maxNonces is how many accounts' are kept, about 2 MiB.
const maxNonces = 1 << 15

func (n *nonces) find(a chain.Address) (e expected, known bool) {
	if e, known = n.recent[a]; !known {
		e, known = n.older[a]
	}
	e.mayRise = e.mayRise || e.risen != n.risen
	return e, known
}

func (n *nonces) set(a chain.Address, e expected) {
	if n.recent == nil {
		n.recent = map[chain.Address]expected{}
	}
	if len(n.recent) >= maxNonces {
		n.recent, n.older = map[chain.Address]expected{}, n.recent
	}
	n.recent[a] = e
}

// pass goes through a block's steps. Judge is told each transaction beside what was
// expected of it, where that is known.
func (n *nonces) pass(block uint64, steps []nonceStep, judge func(s nonceStep, e expected, known bool)) {
	for _, s := range steps {
		switch s.what {
		case nonceUsed:
			e, known := n.find(s.account)
			judge(s, e, known)
			n.set(s.account, expected{nonce: s.nonce + 1, block: block, index: s.index, risen: n.risen})
		case nonceMayRise:
			if e, known := n.find(s.account); known {
				e.mayRise = true
				n.set(s.account, e)
			}
		case noncesMayRise:
			n.risen++
		case nonceForgotten:
			delete(n.recent, s.account)
			delete(n.older, s.account)
		case noncesForgotten:
			n.recent, n.older = nil, nil
		}
	}
}

// nonce writes down whether a transaction has the nonce that was expected.
func (s *subject) nonce(step nonceStep, e expected) {
	switch {
	case step.nonce == e.nonce:
		s.held()
	case step.nonce > e.nonce && e.mayRise:
		s.skip("something else may have raised the account's nonce")
	default:
		s.brokenAt(step.index, "it has nonce %d of %v, and %d follows from extrinsic %d of block %d", step.nonce, step.account, e.nonce, e.index, e.block)
	}
}

// nonces checks the nonces within the block.
func (s *subject) nonces() {
	s.nonceSteps(s.block)
	var n nonces
	n.pass(s.block.Number, s.proved.steps, func(step nonceStep, e expected, known bool) {
		if known {
			s.nonce(step, e)
		}
	})
}

// nextNonces checks the first nonce of each account of the block against those of the
// blocks before, and goes on with its own.
func (s *subject) nextNonces() {
	number := s.proved.Number
	s.earlier.nonces.pass(number, s.proved.steps, func(step nonceStep, e expected, known bool) {
		switch {
		case !known:
			s.skip("the account's transaction before is not known")
		case e.block != number: // within the block it is judged already
			s.nonce(step, e)
		}
	})
}
