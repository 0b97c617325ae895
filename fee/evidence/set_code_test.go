package evidence_test

import (
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/internal/test/repository"
)

// made returns the transactions of testdata/transact-4401.json, signed here with go-ethereum: they were never
// sent.
func made(t *testing.T) (signer common.Address, authorities []common.Address, list []*types.Transaction) {
	t.Helper()
	key := func(text string) (*ecdsa.PrivateKey, common.Address) {
		secret, err := crypto.HexToECDSA(text)
		require.NoError(t, err)
		return secret, crypto.PubkeyToAddress(secret.PublicKey)
	}
	authorize := func(by *ecdsa.PrivateKey, a types.SetCodeAuthorization) types.SetCodeAuthorization {
		a, err := types.SignSetCode(by, a)
		require.NoError(t, err)
		return a
	}
	// Alith, Baltathar and Charleth, accounts of development chains
	alith, signer := key("5fb92d6e98884f76de468fa3f6278f8807c48bebc13595d45af5bdc4da702133")
	baltathar, first := key("8075991ce870b93a8870eca0c0f91913d12f47948ca0fd25b49c6fa7cdbeee8b")
	charleth, second := key("0b6e18cafb6ed99687ec547bd28139cafdd2bffe70e6b688025de6b445aa5c5b")

	var (
		to     = common.HexToAddress("0x773539d4Ac0e786233D90A233654ccEE26a613D9")
		wei    = big.NewInt(1e18)
		data   = []byte{0xa9, 0x05}
		access = types.AccessList{{Address: common.HexToAddress("0x0801"), StorageKeys: []common.Hash{
			common.HexToHash("0x01"), common.HexToHash("0xff00000000000000000000000000000000000000000000000000000000000002"),
		}}}
		moonbeam = big.NewInt(1284)
	)
	for _, unsigned := range []types.TxData{
		&types.LegacyTx{Nonce: 3, GasPrice: big.NewInt(31_250_000_000), Gas: 60_000, To: &to, Value: wei, Data: data},
		&types.AccessListTx{ChainID: moonbeam, Nonce: 4, GasPrice: big.NewInt(31_250_000_000), Gas: 60_000,
			To: &to, Value: wei, Data: data, AccessList: access},
		&types.DynamicFeeTx{ChainID: moonbeam, Nonce: 5, GasTipCap: big.NewInt(1_000_000_000), GasFeeCap: big.NewInt(62_500_000_000),
			Gas: 60_000, Value: new(big.Int), Data: []byte{0x60, 0x01}},
		&types.SetCodeTx{ChainID: uint256.NewInt(1284), Nonce: 6, GasTipCap: uint256.NewInt(1_000_000_000), GasFeeCap: uint256.NewInt(62_500_000_000),
			Gas: 200_000, To: to, Value: uint256.MustFromBig(wei), Data: data, AccessList: access, AuthList: []types.SetCodeAuthorization{
				authorize(baltathar, types.SetCodeAuthorization{ChainID: *uint256.NewInt(1284), Address: common.HexToAddress("0x1111111111111111111111111111111111111111"), Nonce: 7}),
				authorize(charleth, types.SetCodeAuthorization{Nonce: 18446744073709551614}),
			}},
	} {
		transaction, err := types.SignNewTx(alith, types.NewPragueSigner(moonbeam), unsigned)
		require.NoError(t, err)
		list = append(list, transaction)
	}
	return signer, []common.Address{first, second}, list
}

// testdata/transact-4401.json has one transaction of each type as Sidecar writes
// them for runtime 4401 of Moonbeam. Sidecar's own code made it (api-sidecar
// 18.0.0: BlocksService.parseGenericCall, sanitizeNumbers), from the runtime's
// metadata and the transactions of [made]. It is untested against the answer of
// a real gateway: none with an eip7702 transaction was recorded.
func TestPayloadsOfRuntime4401(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "transact-4401.json"))
	require.NoError(t, err)
	extrinsics, err := jsonscan.Parse(string(text))
	require.NoError(t, err)
	signer, authorities, transactions := made(t)
	kinds := []chain.TransactionType{chain.Legacy, chain.EIP2930, chain.EIP1559, chain.EIP7702}
	i := 0
	for x := range extrinsics.Elements() {
		want := transactions[i]
		p := blocktest.Payload(t, x.Member("args").Raw())
		require.Equal(t, kinds[i], p.Type)
		require.Equal(t, want.Nonce(), p.Nonce.Uint64())
		require.Equal(t, want.Gas(), p.GasLimit.Uint64())
		require.Equal(t, want.Value().String(), p.Value.String())
		if p.Capped() {
			require.Equal(t, want.GasFeeCap().String(), p.MaxFeePerGas.String())
			require.Equal(t, want.GasTipCap().String(), p.MaxPriorityFeePerGas.String())
		} else {
			require.Equal(t, want.GasPrice().String(), p.LegacyGasPrice.String())
		}

		id, err := evidence.Identify(&chain.Extrinsic{Pallet: "ethereum", Call: "transact", Payload: chain.DecodedOf(p, nil)})
		require.NoError(t, err)
		require.Equal(t, want.Hash().Hex(), id.Hash.String())
		require.Equal(t, signer.Hex(), id.Sender.String())
		if want.To() == nil {
			require.Equal(t, chain.Some(chain.Address20(crypto.CreateAddress(signer, want.Nonce()))), id.Contract)
		} else {
			require.Equal(t, chain.Some(chain.Address20(*want.To())), id.To)
		}
		if p.Type == chain.EIP7702 {
			require.Equal(t, authorities, authoritiesOf(t, p))
		}
		i++
	}
	require.Equal(t, len(transactions), i)
}

// authoritiesOf returns the accounts that signed the authorizations.
func authoritiesOf(t *testing.T, p *chain.Payload) (list []common.Address) {
	t.Helper()
	authorizations, err := p.Authorizations.Get()
	require.NoError(t, err)
	for _, a := range authorizations {
		authority, err := (&types.SetCodeAuthorization{
			ChainID: *uint256.NewInt(a.ChainID), Address: common.Address(a.Address.Bytes()), Nonce: a.Nonce.Big().Uint64(),
			V: uint8(a.Signature.V), R: *new(uint256.Int).SetBytes32(a.Signature.R[:]), S: *new(uint256.Int).SetBytes32(a.Signature.S[:]),
		}).Authority()
		require.NoError(t, err)
		list = append(list, authority)
	}
	return list
}

// ethereumTransaction is a transaction as a node's eth_getBlockByNumber gives it.
type ethereumTransaction struct {
	Type                                         hexutil.Uint64
	Hash                                         common.Hash
	From                                         common.Address
	To                                           *common.Address
	ChainID, Nonce, Gas                          hexutil.Uint64
	GasPrice, MaxFeePerGas, MaxPriorityFeePerGas *hexutil.Big
	Value, V, R, S                               *hexutil.Big
	YParity                                      hexutil.Uint64
	Input                                        string
	AccessList                                   types.AccessList
	AuthorizationList                            []types.SetCodeAuthorization
}

// payload returns the transaction as a gateway gives it, in the form of runtime 4401.
func (x *ethereumTransaction) payload(t *testing.T) string {
	t.Helper()
	type object = map[string]any
	digits := func(n *hexutil.Big) string { return n.ToInt().String() }
	word := func(n *big.Int) string { return common.BigToHash(n).Hex() }
	decimal := func(n hexutil.Uint64) string { return fmt.Sprint(uint64(n)) }
	action := object{"create": nil}
	if x.To != nil {
		action = object{"call": x.To}
	}
	fields := object{"nonce": decimal(x.Nonce), "gasLimit": decimal(x.Gas), "value": digits(x.Value)}
	if x.Type == types.LegacyTxType {
		fields["signature"] = object{"v": digits(x.V), "r": word(x.R.ToInt()), "s": word(x.S.ToInt())}
	} else {
		fields["chainId"] = decimal(x.ChainID)
		fields["accessList"] = append(types.AccessList{}, x.AccessList...)
		fields["signature"] = object{"oddYParity": x.YParity == 1, "r": word(x.R.ToInt()), "s": word(x.S.ToInt())}
	}
	if x.Type == types.LegacyTxType || x.Type == types.AccessListTxType {
		fields["gasPrice"] = digits(x.GasPrice)
	} else {
		fields["maxFeePerGas"], fields["maxPriorityFeePerGas"] = digits(x.MaxFeePerGas), digits(x.MaxPriorityFeePerGas)
	}
	if x.Type == types.SetCodeTxType {
		list := []object{}
		for _, a := range x.AuthorizationList {
			list = append(list, object{"chainId": a.ChainID.Dec(), "address": a.Address, "nonce": fmt.Sprint(a.Nonce),
				"signature": object{"oddYParity": a.V == 1, "r": word(a.R.ToBig()), "s": word(a.S.ToBig())}})
		}
		fields["authorizationList"], fields["destination"], fields["data"] = list, action, x.Input
	} else {
		fields["action"], fields["input"] = action, x.Input
	}
	kind, ok := map[hexutil.Uint64]chain.TransactionType{types.LegacyTxType: chain.Legacy, types.AccessListTxType: chain.EIP2930,
		types.DynamicFeeTxType: chain.EIP1559, types.SetCodeTxType: chain.EIP7702}[x.Type]
	require.True(t, ok, x.Type)
	text, err := json.Marshal(object{string(kind): fields})
	require.NoError(t, err)
	return string(text)
}

// A block of the real network with an eip7702 transaction, if available: hash, sender and recipient of each
// transaction match the block, and no longer match if anything in the transaction is changed.
func TestRealBlockWithEIP7702(t *testing.T) {
	text, err := os.ReadFile(repository.Shared(t, "realnet", "moonbeam-eth-block-12962274.json"))
	require.NoError(t, err)
	var block struct{ Transactions []ethereumTransaction }
	require.NoError(t, json.Unmarshal(text, &block))

	kinds := map[chain.TransactionType]int{}
	for i := range block.Transactions {
		x := &block.Transactions[i]
		extrinsic := transact(t, x.payload(t))
		p, err := extrinsic.Ethereum()
		require.NoError(t, err)
		kinds[p.Type]++
		id, err := evidence.Identify(extrinsic)
		require.NoError(t, err)
		require.Equal(t, evidence.Identity{
			Hash: chain.Hash(x.Hash), Sender: chain.Address20(x.From), To: chain.Some(chain.Address20(*x.To)),
		}, id, i)
		if p.Type == chain.EIP7702 {
			requireTamperEvident(t, x.payload(t))
			authorities := authoritiesOf(t, p)
			require.Len(t, authorities, 1)
			require.NotZero(t, authorities[0])
		}
	}
	require.Equal(t, map[chain.TransactionType]int{chain.Legacy: 5, chain.EIP1559: 1, chain.EIP7702: 1}, kinds)
}

// requireTamperEvident changes each field of an eip7702 transaction separately: hash and sender change, or the
// payload is rejected.
func requireTamperEvident(t *testing.T, transaction string) {
	t.Helper()
	original, fields := identify(t, transaction), map[string]bool{}
	for _, tampered := range tamper(t, transaction) {
		id, err := evidence.Identify(transact(t, tampered.text))
		if err == nil {
			require.NotEqual(t, original.Hash, id.Hash, tampered.what)
			require.NotEqual(t, original.Sender, id.Sender, tampered.what)
			fields[tampered.field] = true
		}
	}
	const prefix = "eip7702."
	require.Equal(t, []string{
		prefix + "authorizationList", prefix + "authorizationList.address", prefix + "authorizationList.chainId", prefix + "authorizationList.nonce",
		prefix + "authorizationList.signature.oddYParity", prefix + "authorizationList.signature.r", prefix + "authorizationList.signature.s",
		prefix + "chainId", prefix + "data", prefix + "destination", prefix + "gasLimit", prefix + "maxFeePerGas", prefix + "maxPriorityFeePerGas",
		prefix + "nonce", prefix + "signature.oddYParity", prefix + "signature.r", prefix + "signature.s", prefix + "value",
	}, slices.Sorted(maps.Keys(fields)))
}
