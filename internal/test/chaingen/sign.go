package chaingen

import (
	"encoding/binary"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
)

var signerOfChain = types.NewLondonSigner(big.NewInt(chainID))

// sign signs the transaction with its sender's key, and sets its hash.
func (c *Chain) sign(e *evmTransaction) {
	signer := signerOfChain
	if e.typ == legacy && !e.protected {
		signer = types.HomesteadSigner{}
	}
	signed, err := types.SignNewTx(e.sender.key, signer, e.data())
	if err != nil {
		panic(err) // a generated transaction is always valid
	}
	v, r, s := signed.RawSignatureValues()
	r.FillBytes(e.r[:])
	s.FillBytes(e.s[:])
	e.odd = v.Uint64()&1 == 1
	if e.typ == legacy { // v is 27 or 2 × 1284 + 35 for even parity
		e.odd = !e.odd
	}
	e.hash = chain.Hash(signed.Hash())
}

// transactionVersion is that of both runtimes.
const transactionVersion = 2

// signNative signs the payload of an immortal native extrinsic, up to the runtime's version: it appends the
// transaction version, the genesis, and the genesis again as the start of the era.
func (c *Chain) signNative(signer *account, payload []byte) []byte {
	payload = binary.LittleEndian.AppendUint32(payload, transactionVersion)
	payload = append(append(payload, c.genesis[:]...), c.genesis[:]...)
	if len(payload) > 256 {
		short := blake2b.Sum256(payload)
		payload = short[:]
	}
	signature, err := crypto.Sign(crypto.Keccak256(payload), signer.key)
	must(err)
	return signature
}

// data returns the transaction in go-ethereum's types, unsigned.
func (e *evmTransaction) data() types.TxData {
	var to *common.Address // none for a creation
	if !e.creates() {
		address := common.Address(e.to.address.Bytes())
		to = &address
	}
	switch e.typ {
	case legacy:
		return &types.LegacyTx{
			Nonce: e.nonce, GasPrice: integer(e.gasPrice), Gas: e.gasLimit, To: to, Value: e.value.big(), Data: e.input,
		}
	case eip2930:
		return &types.AccessListTx{
			ChainID: integer(chainID), Nonce: e.nonce, GasPrice: integer(e.gasPrice), Gas: e.gasLimit,
			To: to, Value: e.value.big(), Data: e.input, AccessList: e.accessList(),
		}
	}
	return &types.DynamicFeeTx{
		ChainID: integer(chainID), Nonce: e.nonce, GasTipCap: integer(e.maxPriorityFee), GasFeeCap: integer(e.maxFeePerGas), Gas: e.gasLimit,
		To: to, Value: e.value.big(), Data: e.input, AccessList: e.accessList(),
	}
}

func (e *evmTransaction) accessList() types.AccessList {
	list := make(types.AccessList, len(e.access))
	for i, entry := range e.access {
		list[i].Address = common.Address(entry.address.Bytes())
		for _, key := range entry.keys {
			list[i].StorageKeys = append(list[i].StorageKeys, key)
		}
	}
	return list
}

// createdBy returns the contract that a sender's transaction with a nonce creates.
func createdBy(sender *account, nonce uint64) *account {
	address := chain.Address20(crypto.CreateAddress(common.Address(sender.address.Bytes()), nonce))
	return &account{address: address}
}

func integer(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

func (c coins) big() *big.Int {
	n := new(big.Int).Mul(integer(c.thousandths), big.NewInt(1_000_000_000_000_000))
	return n.Add(n, integer(c.wei))
}
