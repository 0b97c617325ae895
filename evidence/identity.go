package evidence

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/wire"
)

// Identity is what the payload of an EVM transaction proves of itself. Nothing
// in it is anybody's word: a payload of which one bit was changed has another
// hash.
type Identity struct {
	Hash     chain.Hash
	Sender   chain.Address                 // who signed
	To       chain.Optional[chain.Address] // of a call
	Contract chain.Optional[chain.Address] // of a creation, also of one that came to nothing

	untyped bool // written without a type, as by the runtimes before 1201
}

// Identify works out the identity of an ethereum.transact extrinsic from its
// payload alone: the hash of the signed transaction (EIP-155, EIP-2718), the
// sender from the signature, the contract from sender and nonce. An error says
// that the payload cannot be read, or that no account signed it.
func Identify(x *chain.Extrinsic) (Identity, error) {
	if x.Pallet != "ethereum" || x.Call != "transact" {
		return Identity{}, fmt.Errorf("%q is not ethereum.transact", wire.Excerpt(x.Pallet+"."+x.Call))
	}
	payload, err := evm.ParsePayload(x.Args)
	if err != nil {
		return Identity{}, err
	}
	id, err := identify(&payload)
	if err != nil {
		return Identity{}, fmt.Errorf("args.transaction: %w", err)
	}
	id.untyped = x.Args.Member("transaction").Member("gasPrice").Kind() != wire.Absent
	return id, nil
}

func identify(p *evm.Payload) (Identity, error) {
	action, err := p.Action()
	if err != nil {
		return Identity{}, err
	}
	signature, err := p.Signature()
	if err != nil {
		return Identity{}, err
	}
	sealed, err := seal(p, action, signature)
	if err != nil {
		return Identity{}, err
	}
	sender, err := recoverSender(sealed.digest, sealed.odd, signature)
	if err != nil {
		return Identity{}, fmt.Errorf("signature: %w", err)
	}
	id := Identity{Hash: chain.Hash(sealed.hash), Sender: sender}
	if action.Create {
		contract := crypto.CreateAddress(common.Address(sender), p.Nonce.Uint64())
		id.Contract = chain.Some(chain.Address(contract))
	} else {
		id.To = chain.Some(action.To)
	}
	return id, nil
}

// sealed is a signed transaction: its hash, the digest that was signed, and which
// of the two points of the signature is meant.
type sealed struct {
	hash, digest common.Hash
	odd          bool
}

func sealedBy(signer types.Signer, odd bool, data types.TxData) sealed {
	transaction := types.NewTx(data)
	return sealed{transaction.Hash(), signer.Hash(transaction), odd}
}

// seal encodes the payload as a transaction of its type.
func seal(p *evm.Payload, action evm.Action, signature evm.Signature) (sealed, error) {
	input, err := p.Input()
	if err != nil {
		return sealed{}, err
	}
	var to *common.Address // none for a creation
	if !action.Create {
		to = (*common.Address)(&action.To)
	}
	r, s, v := number(signature.R), number(signature.S), new(big.Int).SetUint64(signature.V)
	if p.Type == evm.Legacy {
		signer, odd, err := legacySigner(signature.V)
		if err != nil {
			return sealed{}, err
		}
		return sealedBy(signer, odd, &types.LegacyTx{
			Nonce: p.Nonce.Uint64(), GasPrice: p.LegacyGasPrice.Big(), Gas: p.GasLimit.Uint64(),
			To: to, Value: p.Value.Big(), Data: input, V: v, R: r, S: s,
		}), nil
	}

	id, err := p.ChainID()
	if err != nil {
		return sealed{}, err
	}
	if id == 0 {
		return sealed{}, errors.New("chainId: 0 is no chain")
	}
	chainID, odd := new(big.Int).SetUint64(id), signature.V == 1
	access, err := accessList(p)
	if err != nil {
		return sealed{}, err
	}
	switch p.Type {
	case evm.EIP2930:
		return sealedBy(types.NewPragueSigner(chainID), odd, &types.AccessListTx{
			ChainID: chainID, Nonce: p.Nonce.Uint64(), GasPrice: p.LegacyGasPrice.Big(), Gas: p.GasLimit.Uint64(),
			To: to, Value: p.Value.Big(), Data: input, AccessList: access, V: v, R: r, S: s,
		}), nil
	case evm.EIP1559:
		return sealedBy(types.NewPragueSigner(chainID), odd, &types.DynamicFeeTx{
			ChainID: chainID, Nonce: p.Nonce.Uint64(), Gas: p.GasLimit.Uint64(),
			GasTipCap: p.MaxPriorityFeePerGas.Big(), GasFeeCap: p.MaxFeePerGas.Big(),
			To: to, Value: p.Value.Big(), Data: input, AccessList: access, V: v, R: r, S: s,
		}), nil
	}
	authorizations, err := authorizationList(p)
	if err != nil {
		return sealed{}, err
	}
	return sealSetCode([]any{
		id, p.Nonce.Uint64(), p.MaxPriorityFeePerGas.Big(), p.MaxFeePerGas.Big(), p.GasLimit.Uint64(),
		recipient(action), p.Value.Big(), input, access, authorizations,
	}, signature)
}

// legacySigner reads v of a legacy transaction, as the chain does: 27 and 28
// are signatures for any chain; what is above 36 names its chain.
func legacySigner(v uint64) (signer types.Signer, odd bool, err error) {
	switch {
	case v == 27 || v == 28:
		return types.HomesteadSigner{}, v == 28, nil
	case v > 36:
		chainID := new(big.Int).SetUint64((v - 35) / 2)
		return types.NewEIP155Signer(chainID), (v-35)%2 == 1, nil
	}
	return nil, false, fmt.Errorf("signature.v: want 27, 28 or more than 36, have %d", v)
}

// recoverSender is the account whose key signed the digest. As on the chain
// (rust ethereum, TransactionSignature), r and s are below the order of the
// curve, and s may be in its upper half: the runtimes do not have that rule of
// Homestead (EIP-2). Such a twin of a signature has the same sender, and another
// hash.
func recoverSender(digest common.Hash, odd bool, signature evm.Signature) (chain.Address, error) {
	var parity byte
	if odd {
		parity = 1
	}
	const homestead = false
	if !crypto.ValidateSignatureValues(parity, number(signature.R), number(signature.S), homestead) {
		return chain.Address{}, errors.New("r or s is not within the curve's order")
	}
	var compact [crypto.SignatureLength]byte
	copy(compact[:32], signature.R[:])
	copy(compact[32:64], signature.S[:])
	compact[64] = parity
	key, err := crypto.SigToPub(digest[:], compact[:])
	if err != nil {
		return chain.Address{}, errors.New("r and s are no account's signature")
	}
	return chain.Address(crypto.PubkeyToAddress(*key)), nil
}

func accessList(p *evm.Payload) (types.AccessList, error) {
	entries, err := p.AccessList()
	if err != nil {
		return nil, err
	}
	list := make(types.AccessList, len(entries))
	for i, entry := range entries {
		list[i].Address = common.Address(entry.Address)
		list[i].StorageKeys = make([]common.Hash, len(entry.StorageKeys))
		for j, key := range entry.StorageKeys {
			list[i].StorageKeys[j] = common.Hash(key)
		}
	}
	return list, nil
}

// number is the integer that 32 bytes are.
func number(h chain.Hash) *big.Int { return new(big.Int).SetBytes(h[:]) }

// Part is a part of a transaction's identity.
type Part string

// The parts of an identity.
const (
	HashPart      Part = "hash"
	SenderPart    Part = "sender"
	RecipientPart Part = "recipient" // of a call
	ContractPart  Part = "contract"  // of a creation
)

// Mismatch is a part in which the event and the payload disagree.
type Mismatch struct {
	Part      Part
	Claimed   string // by the event ethereum.Executed
	Recovered string // from the payload
}

// Check compares the identity with what the chain recorded of the execution. It
// lists what differs, in the order of the parts: nothing where they agree.
func (id Identity) Check(executed evm.Executed) []Mismatch {
	var list []Mismatch
	if executed.Hash != id.Hash {
		list = append(list, Mismatch{HashPart, executed.Hash.String(), id.Hash.String()})
	}
	if executed.From != id.Sender {
		list = append(list, Mismatch{SenderPart, executed.From.String(), id.Sender.String()})
	}
	// Early runtimes recorded no recipient of a call (before frontier #459).
	unrecorded := id.untyped && executed.To == chain.Address{}
	if to, call := id.To.Get(); call && executed.To != to && !unrecorded {
		list = append(list, Mismatch{RecipientPart, executed.To.String(), to.String()})
	}
	if contract, creation := id.Contract.Get(); creation && executed.To != contract {
		list = append(list, Mismatch{ContractPart, executed.To.String(), contract.String()})
	}
	return list
}
