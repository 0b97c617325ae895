package source

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/network"
)

// storage is a source that answers for any item of the chain's storage.
type storage interface {
	Storage(ctx context.Context, pallet, item string, keys []string, at chain.Optional[uint64]) (gatewayclient.Storage, error)
}

// FeesTreasuryProportion is that parameter of governance in force for a block: as
// its parent left it. It is not known where the block's rules do not look at it,
// or where the source cannot tell; archives cannot. A null is not taken for the
// runtime's own 20 %: how gateways write the key and the value is read from
// documentation, was never seen from a real one, and a key that a gateway does not
// understand gives a null too.
func (r *Reader) FeesTreasuryProportion(ctx context.Context, item Item) (none chain.Optional[chain.Perbill], err error) {
	d, known := item.Rules.Destinations.Get()
	asked, can := r.Source.(storage)
	if !known || !can || item.Block.Number == 0 || !d.LooksAt(network.TreasuryParameter) {
		return none, nil
	}
	const key = `{"RuntimeConfig":"FeesTreasuryProportion"}`
	stored, err := asked.Storage(ctx, "parameters", "parameters", []string{key}, chain.Some(item.Block.Number-1))
	if Passes(err) {
		return none, err
	}
	if hash, ok := stored.AtHash.Get(); err != nil || ok && hash != item.Block.ParentHash {
		return none, nil
	}
	_, value, _ := stored.Value.Only() // {"RuntimeConfig": {"FeesTreasuryProportion": "200000000"}}
	_, value, _ = value.Only()
	proportion, err := chain.ReadPerbill(value)
	if err != nil {
		return none, nil
	}
	return chain.Some(proportion), nil
}
