package evidence

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/failure"
)

// signedIdentity is the identity that the payload of an EVM transaction proves. It does not depend on anyone's
// word: a payload with one changed bit has a different hash.
type signedIdentity struct {
	Hash     chain.Hash
	Sender   chain.Address                 // the signer
	To       chain.Optional[chain.Address] // for a call
	Contract chain.Optional[chain.Address] // for a creation, even a failed one

	untyped bool // without a transaction type, as in runtimes before 1201
}

// identify computes the identity of an ethereum.transact extrinsic from its payload only: the hash of the
// signed transaction (EIP-155, EIP-2718), the sender from the signature, and the contract from sender and
// nonce. An error means that the payload cannot be decoded, or that no account signed it.
func identify(x *chain.Extrinsic) (signedIdentity, error) {
	if x.Pallet != "ethereum" || x.Call != "transact" {
		return signedIdentity{}, fmt.Errorf("%q is not ethereum.transact", failure.Excerpt(x.Pallet+"."+x.Call))
	}
	payload, err := x.Ethereum()
	if err != nil {
		return signedIdentity{}, err
	}
	id, err := identifyPayload(payload)
	if err != nil {
		return signedIdentity{}, fmt.Errorf("args.transaction: %w", err)
	}
	id.untyped = payload.Untyped
	return id, nil
}

func identifyPayload(p *chain.Payload) (signedIdentity, error) {
	t, err := ethtx.OfPayload(p)
	if err != nil {
		return signedIdentity{}, err
	}
	hash, err := t.Hash()
	if err != nil {
		return signedIdentity{}, err
	}
	sender, err := t.Sender()
	if err != nil {
		return signedIdentity{}, fmt.Errorf("signature: %w", err)
	}
	id := signedIdentity{Hash: hash, Sender: sender, To: t.To}
	if !t.To.Known() {
		id.Contract = chain.Some(ethtx.Contract(sender, t.Nonce))
	}
	return id, nil
}

// identityPart is a part of a transaction's identity.
type identityPart string

// The parts of an identity.
const (
	hashPart      identityPart = "hash"
	senderPart    identityPart = "sender"
	recipientPart identityPart = "recipient" // for a call
	contractPart  identityPart = "contract"  // for a creation
)

// mismatch is a part on which the event and the payload disagree.
type mismatch struct {
	Part      identityPart
	Claimed   string // from the event ethereum.Executed
	Recovered string // from the payload
}

// Check compares the identity with the chain's record of the execution. It returns the mismatches in the order
// of the parts, or none.
func (id signedIdentity) Check(executed evm.Executed) []mismatch {
	var list []mismatch
	if executed.Hash != id.Hash {
		list = append(list, mismatch{hashPart, executed.Hash.String(), id.Hash.String()})
	}
	if executed.From != id.Sender {
		list = append(list, mismatch{senderPart, executed.From.String(), id.Sender.String()})
	}
	// Early runtimes did not record the recipient of a call (before frontier #459).
	unrecorded := id.untyped && executed.To == chain.Address{}
	if to, call := id.To.Get(); call && executed.To != to && !unrecorded {
		list = append(list, mismatch{recipientPart, executed.To.String(), to.String()})
	}
	if contract, creation := id.Contract.Get(); creation && executed.To != contract {
		list = append(list, mismatch{contractPart, executed.To.String(), contract.String()})
	}
	return list
}
