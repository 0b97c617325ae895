package evidence

import (
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
)

// nonceStep is something in a block that affects or reveals an account's nonce. Native and EVM transactions
// share one nonce per account. Each raises it by one, whatever the outcome.
//
// Source: frame system, CheckNonce; frontier, pallet ethereum, validate_transaction_in_block, and pallet evm,
// stack runner.
type nonceStep struct {
	what    nonceEffect
	account chain.Address
	nonce   uint64 // that was signed
	index   int    // of the extrinsic
}

type nonceEffect uint8

const (
	nonceUsed      nonceEffect = iota
	nonceShown                 // by a transaction that the runtime refused, which does not raise it
	nonceMayRise               // of the account, by something unsigned
	noncesMayRise              // of any account
	nonceForgotten             // the account was removed: if it is created again, its nonce restarts
	noncesForgotten
)

// nonceSteps lists the nonce steps of the block, in the order of the chain.
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
		if b.Extrinsics[i].General { // of an account that an extension names
			p.step(nonceStep{what: noncesMayRise})
		}
		p.eventSteps(layer, b.Extrinsics[i].Events)
	}
	p.hookSteps(b.OnFinalize)
}

func (p *prover) step(s nonceStep) { p.proved.steps = append(p.proved.steps, s) }

// transactionSteps returns the steps of a transaction itself.
//
// If signing accounts can have code (EIP-7702), code that runs as the account can create a contract, which
// raises its nonce: only a plain payment, of 21000 gas, runs no code. An authorization raises its signer's
// nonce.
func (p *prover) transactionSteps(t *fee.Transaction) {
	from, signed := t.From.Get()
	if p.rules.AccountMapping == network.PaddedAccount {
		from = p.rules.AccountMapping.Of(from) // as events name it
	}
	nonce, known := t.Nonce.Get()
	refused := p.refused(t)
	if signed && known {
		effect := nonceUsed
		if refused {
			effect = nonceShown
		}
		p.step(nonceStep{effect, from, nonce.Uint64(), t.Index})
	}
	gas, _ := t.Gas.Get()
	runsNoCode := refused || t.Layer == fee.EVM && gas.Uint64() == intrinsicGas
	switch {
	case !signed:
		p.step(nonceStep{what: noncesMayRise})
	case !known:
		p.step(nonceStep{what: nonceMayRise, account: from})
	}
	if !p.rules.NoSetCode && !runsNoCode {
		p.step(nonceStep{what: noncesMayRise})
	}
}

// hookSteps returns the steps of the events of a hook, which can run code too.
func (p *prover) hookSteps(events []chain.Event) {
	if len(events) > 0 && !p.rules.NoSetCode {
		p.step(nonceStep{what: noncesMayRise})
	}
	p.eventSteps(fee.Inherent, events)
}

// eventSteps returns the steps of the events of an extrinsic or a hook.
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
			// The transaction's own is the last; others ran inside it, through XCM, as do all in other extrinsics and in
			// hooks.
			executed++
			if layer == fee.EVM && executed == executedIn(events) || e.Name != "Executed" {
				continue
			}
			if from, err := e.Data.At(0).Account(); err == nil {
				p.step(nonceStep{what: nonceMayRise, account: from})
			} else {
				p.step(nonceStep{what: noncesMayRise})
			}
		case "evm":
			// A contract's logs result from a signed call, except those of a native call: an asset that is a contract is
			// moved as if by its owner.
			if e.Name != "Log" || layer == fee.Native {
				p.step(nonceStep{what: noncesMayRise})
			}
		case "revive":
			// A contract that a native call creates raises the nonce of its deployer, besides the signature: also in an Ethereum
			// transaction that carries a native call.
			if e.Name == "Instantiated" {
				p.step(nonceStep{what: noncesMayRise})
			}
		default:
			if layer != fee.Inherent && sendsAssets(e.Pallet) {
				p.step(nonceStep{what: noncesMayRise})
			}
		}
	}
}

// killed returns the step of an account's removal.
func (p *prover) killed(e *chain.Event) {
	account, err := e.Data.At(0).Account()
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

// sendsAssets reports whether a pallet, by its name, may send assets to other chains. An asset that is a
// contract is then moved by an unsigned call on behalf of its owner, which raises the owner's nonce (pallet
// erc20-xcm-bridge).
func sendsAssets(pallet string) bool {
	name := strings.ToLower(pallet)
	for _, part := range []string{"xcm", "xtokens", "erc20", "asset", "bridge"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// nonces contains the known nonces of accounts at a point of the chain. It keeps those of the most recent
// accounts, at most twice maxNonces.
type nonces struct {
	recent, older map[chain.Address]expected
	risen         uint32 // number of times that any nonce may have risen
}

// expected is the next nonce of an account.
type expected struct {
	nonce   uint64
	block   uint64 // of the previous transaction
	index   int    // its extrinsic
	risen   uint32 // of nonces, at that time
	mayRise bool
}

// maxNonces is the number of accounts to keep, about 2 MiB.
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

// pass processes a block's steps. It calls judge for each transaction, with the expected nonce if known.
func (n *nonces) pass(block uint64, steps []nonceStep, judge func(s nonceStep, e expected, known bool)) {
	for _, s := range steps {
		switch s.what {
		case nonceUsed, nonceShown:
			e, known := n.find(s.account)
			judge(s, e, known)
			next := s.nonce
			if s.what == nonceUsed {
				next++
			}
			n.set(s.account, expected{nonce: next, block: block, index: s.index, risen: n.risen})
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

// nonce records whether a transaction has the expected nonce.
func (s *subject) nonce(step nonceStep, e expected) {
	switch {
	case step.nonce == e.nonce:
		s.held()
	case step.nonce > e.nonce && e.mayRise:
		s.skip("something other than a signed transaction may have raised the account's nonce")
	default:
		s.brokenAt(step.index, "it has nonce %d of %v, but %d follows from extrinsic %d of block %d", step.nonce, step.account, e.nonce, e.index, e.block)
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

// nextNonces checks the first nonce of each account in the block against earlier blocks, then records the
// block's own.
func (s *subject) nextNonces() {
	number := s.proved.Number
	s.earlier.nonces.pass(number, s.proved.steps, func(step nonceStep, e expected, known bool) {
		switch {
		case !known:
			s.skip("the account's previous transaction is unknown")
		case e.block != number: // already checked within the block
			s.nonce(step, e)
		}
	})
}
