package fee

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/native"
)

// priceRevive sets what is known of an Ethereum transaction of pallet revive, even if an error leaves its fee undetermined.
// It pays what a native transaction of the same weight and length pays, as the chain states in TransactionFeePaid, at the
// base fee, whatever its sender offers. Hash, sender and recipient are those that its sender signed.
//
// Source: polkadot-sdk, frame/revive/src/evm/call.rs and fees.rs.
func priceRevive(t *Transaction, x *chain.Extrinsic, baseFee chain.Optional[chain.GasPrice]) error {
	if outcome, err := x.Outcome(); err != nil {
		t.note("%v", err)
	} else {
		t.ended(outcome)
		if outcome.Success && x.FindEvent("revive", "EthExtrinsicRevert") >= 0 {
			t.Outcome = chain.Some(Reverted)
		}
	}
	t.GasPrice = baseFee
	if payload, err := x.Ethereum(); err != nil {
		t.note("%v", err)
	} else if err := t.signed(payload); err != nil {
		t.note("args.payload: %v", err)
	}
	paid, err := native.ReadFeePaid(x)
	if err != nil {
		return err
	}
	t.Payer = chain.Some(paid.Payer)
	t.Fee, t.PriorityFee, t.Method = chain.Some(paid.Fee), paid.Tip, chain.Some(ByRule)
	return nil
}

// signed sets what the sender of an Ethereum transaction signed.
func (t *Transaction) signed(p *chain.Payload) error {
	t.Type, t.Nonce = chain.Some(p.Type), chain.Some(p.Nonce)
	signed, err := ethtx.OfPayload(p)
	if err != nil {
		return err
	}
	hash, err := signed.Hash()
	if err != nil {
		return err
	}
	t.EVMHash = chain.Some(hash)
	sender, err := signed.Sender()
	if err != nil {
		return err
	}
	t.From, t.To = chain.Some(sender), signed.To
	if !signed.To.Known() {
		t.To = chain.Some(ethtx.Contract(sender, signed.Nonce))
	}
	if t.DispatchesNative() {
		t.note("it dispatched a native call. Its Ethereum receipt states no gas and no price, but the fee was paid")
	}
	return nil
}

// runtimePallets is the address at which pallet revive takes native calls of the runtime, signed by an Ethereum key.
//
// Source: polkadot-sdk, frame/revive/src/evm.rs, RUNTIME_PALLETS_ADDR.
var runtimePallets = chain.Address20([chain.AddressSize]byte([]byte("modlpy/paddr\x00\x00\x00\x00\x00\x00\x00\x00")))

// DispatchesNative reports whether it is a native call that an Ethereum key signed (eth_substrate_call of pallet revive).
func (t *Transaction) DispatchesNative() bool { return t.To == chain.Some(runtimePallets) }
