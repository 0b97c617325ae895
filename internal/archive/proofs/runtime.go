package proofs

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// RuntimeName is a runtime's specName and specVersion.
type RuntimeName struct {
	SpecName    string `json:"spec_name"`
	SpecVersion uint32 `json:"spec_version"`
}

func (n RuntimeName) String() string { return fmt.Sprintf("%s/%d", n.SpecName, n.SpecVersion) }

// lastUpgradeKey is where the state says which runtime executed the block. It is at the same
// place in all runtimes, so that it can be read before the runtime is known.
var lastUpgradeKey = render.Place("System", "LastRuntimeUpgrade")

// codeKey is where the state has the runtime's code.
var codeKey = []byte(":code")

// readLastUpgrade reads System.LastRuntimeUpgrade. A block notes the runtime that executes it,
// where it is another than before, when it begins.
//
// Source: paritytech/polkadot-sdk, substrate/frame/executive/src/lib.rs (runtime_upgraded);
// substrate/frame/system/src/lib.rs (LastRuntimeUpgradeInfo).
func readLastUpgrade(stored []byte) (n RuntimeName, err error) {
	r := scale.NewReader(stored)
	version := r.CompactUint()
	n.SpecName = r.Text()
	if n.SpecVersion = uint32(version); uint64(n.SpecVersion) != version {
		r.Fail("a version of %d, which is more than 32 bits", version)
	}
	return n, r.End()
}

// key is a place of the state that is proved.
type key struct {
	name  string // as people know it
	place []byte
}

// runtime is one that executed blocks of an archive.
type runtime struct {
	RuntimeName
	keys []key
}

// keptItems are the items of the state that are kept of each block, where the runtime has them.
var keptItems = [][2]string{
	{"System", "LastRuntimeUpgrade"},
	{"System", "Events"},
	{"TransactionPayment", "NextFeeMultiplier"},
	{"Timestamp", "Now"},
	{"System", "BlockWeight"},
	{"Session", "Validators"}, // by whom the author is found, where the digest names a number
}

// needed are those of them without which no block can be priced and proved.
const needed = 4

// newRuntime reads the metadata of a runtime, and finds the keys that are kept of the blocks
// that it executed. The key of FeesTreasuryProportion is "" where there is none.
func newRuntime(name RuntimeName, bytes []byte, parameterKey string, accounts []chain.Address) (*runtime, error) {
	fail := func(err error) (*runtime, error) { return nil, fmt.Errorf("runtime %v: metadata: %w", name, err) }
	m, err := metadata.Parse(bytes)
	if err != nil {
		return fail(err)
	}
	if v, known := m.RuntimeVersion(); !known || name != (RuntimeName{v.SpecName, v.SpecVersion}) {
		return fail(fmt.Errorf("they are of the runtime %v", RuntimeName{v.SpecName, v.SpecVersion}))
	}
	decoder, err := render.NewRuntime(m)
	if err != nil {
		return fail(err)
	}
	r := &runtime{RuntimeName: name}
	for i, item := range keptItems {
		if p := m.Pallet(item[0]); p != nil && p.Entry(item[1]) != nil {
			r.keys = append(r.keys, key{item[0] + "." + item[1], render.Place(p.Prefix, item[1])})
		} else if i < needed {
			return fail(fmt.Errorf("they have no %s.%s", item[0], item[1]))
		}
	}
	if parameterKey != "" {
		item, err := decoder.Item("parameters", "parameters", []string{parameterKey})
		if err != nil {
			return fail(err)
		}
		r.keys = append(r.keys, key{"Parameters.Parameters " + parameterKey, item.Place()})
	}
	for _, a := range accounts {
		b, err := decoder.Balance(a)
		if err != nil {
			return fail(err)
		}
		own, locks := b.Places()
		r.keys = append(r.keys, key{"System.Account " + a.String(), own}, key{"Balances.Locks " + a.String(), locks})
	}
	return r, nil
}

// places are the keys' own bytes.
func (r *runtime) places() (list [][]byte) {
	for _, k := range r.keys {
		list = append(list, k.place)
	}
	return list
}
