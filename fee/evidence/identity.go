package evidence

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/tx/ethtx"
)

// signedIdentity is what the payload of an EVM transaction proves of itself. Nothing
// in it is anybody's word: a payload of which one bit was changed has another
// hash.
type signedIdentity struct {
	Hash     chain.Hash
	Sender   chain.Address                 // who signed
	To       chain.Optional[chain.Address] // of a call
	Contract chain.Optional[chain.Address] // of a creation, also of one that came to nothing

	untyped bool // written without a type, as by the runtimes before 1201
}

// identify works out the identity of an ethereum.transact extrinsic from its
// payload alone: the hash of the signed transaction (EIP-155, EIP-2718), the
// sender from the signature, the contract from sender and nonce. An error says
// that the payload cannot be read, or that no account signed it.
func identify(x *chain.Extrinsic) (signedIdentity, error) {
	if x.Pallet != "ethereum" || x.Call != "transact" {
		return signedIdentity{}, fmt.Errorf("%q is not ethereum.transact", jsonscan.Excerpt(x.Pallet+"."+x.Call))
	}
	payload, err := evm.ParsePayload(x.Args)
	if err != nil {
		return signedIdentity{}, err
	}
	id, err := identifyPayload(&payload)
	if err != nil {
		return signedIdentity{}, fmt.Errorf("args.transaction: %w", err)
	}
	id.untyped = x.Args.Member("transaction").Member("gasPrice").Kind() != jsonscan.Absent
	return id, nil
}

func identifyPayload(p *evm.Payload) (signedIdentity, error) {
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
	recipientPart identityPart = "recipient" // of a call
	contractPart  identityPart = "contract"  // of a creation
)

// mismatch is a part in which the event and the payload disagree.
type mismatch struct {
	Part      identityPart
	Claimed   string // by the event ethereum.Executed
	Recovered string // from the payload
}

// Check compares the identity with what the chain recorded of the execution. It
// lists what differs, in the order of the parts: nothing where they agree.
func (id signedIdentity) Check(executed evm.Executed) []mismatch {
	var list []mismatch
	if executed.Hash != id.Hash {
		list = append(list, mismatch{hashPart, executed.Hash.String(), id.Hash.String()})
	}
	if executed.From != id.Sender {
		list = append(list, mismatch{senderPart, executed.From.String(), id.Sender.String()})
	}
	// Early runtimes recorded no recipient of a call (before frontier #459).
	unrecorded := id.untyped && executed.To == chain.Address{}
	if to, call := id.To.Get(); call && executed.To != to && !unrecorded {
		list = append(list, mismatch{recipientPart, executed.To.String(), to.String()})
	}
	if contract, creation := id.Contract.Get(); creation && executed.To != contract {
		list = append(list, mismatch{contractPart, executed.To.String(), contract.String()})
	}
	return list
}
