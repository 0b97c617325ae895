package evidence

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/feeledger/fees/evm"
)

// sealSetCode encodes an eip7702 transaction, given the fields that its signer
// signs, as the runtimes do (rust ethereum, eip7702.rs). They take two things that
// Ethereum refuses, and so [types.SetCodeTx] cannot hold: a transaction that
// creates a contract, and an authorization whose nonce has more than 64 bits.
func sealSetCode(fields []any, signature evm.Signature) (s sealed, err error) {
	s.odd = signature.V == 1
	if s.digest, err = setCodeHash(fields); err != nil {
		return sealed{}, err
	}
	s.hash, err = setCodeHash(append(fields, signature.V, number(signature.R), number(signature.S)))
	return s, err
}

func setCodeHash(fields []any) (common.Hash, error) {
	encoded, err := rlp.EncodeToBytes(fields)
	return crypto.Keccak256Hash([]byte{types.SetCodeTxType}, encoded), err
}

// recipient is whom a transaction calls, no bytes for a creation.
func recipient(action evm.Action) []byte {
	if action.Create {
		return nil
	}
	return action.To[:]
}

// authorization has the fields of an authorization in the order in which they are
// encoded.
type authorization struct {
	ChainID uint64
	Address common.Address
	Nonce   *big.Int
	V       uint64
	R, S    *big.Int
}

func authorizationList(p *evm.Payload) ([]authorization, error) {
	authorizations, err := p.Authorizations()
	if err != nil {
		return nil, err
	}
	list := make([]authorization, len(authorizations))
	for i, a := range authorizations {
		list[i] = authorization{a.ChainID, common.Address(a.Address), a.Nonce.Big(),
			a.Signature.V, number(a.Signature.R), number(a.Signature.S)}
	}
	return list, nil
}
