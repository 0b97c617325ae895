package proofs

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
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

// lastUpgradeKey is the storage key for the runtime that executed the block. It is the same in all runtimes, so that it can
// be read before the runtime is known.
var lastUpgradeKey = render.Place("System", "LastRuntimeUpgrade")

// codeKey is the storage key of the runtime's code.
var codeKey = []byte(":code")

// readLastUpgrade parses System.LastRuntimeUpgrade. A block that a new runtime executes stores the runtime there as it
// begins.
//
// Source: paritytech/polkadot-sdk, substrate/frame/executive/src/lib.rs (runtime_upgraded);
// substrate/frame/system/src/lib.rs (LastRuntimeUpgradeInfo).
func readLastUpgrade(stored []byte) (n RuntimeName, err error) {
	r := scale.NewReader(stored)
	version := r.CompactUint()
	n.SpecName = r.Text()
	if n.SpecVersion = uint32(version); uint64(n.SpecVersion) != version {
		r.Fail("the version %d exceeds 32 bits", version)
	}
	return n, r.End()
}

// key is a storage key to prove.
type key struct {
	name  string // for display
	place []byte
}

// runtime is a runtime that executed blocks of an archive.
type runtime struct {
	RuntimeName
	keys []key
}

// keptItems are the storage items recorded for each block, if the runtime has them.
var keptItems = [][2]string{
	{"System", "LastRuntimeUpgrade"},
	{"System", "Events"},
	{"TransactionPayment", "NextFeeMultiplier"},
	{"Timestamp", "Now"},
	{"System", "BlockWeight"},
	{"Session", "Validators"}, // gives the author if the digest contains an index
}

// needed are the items required to price and prove a block.
const needed = 4

// newRuntime parses the metadata of a listed runtime, and finds the storage keys to record for blocks that it executed.
func newRuntime(listed *Runtime, bytes []byte, accounts []chain.Address) (*runtime, error) {
	name := listed.RuntimeName
	fail := func(err error) (*runtime, error) { return nil, fmt.Errorf("runtime %v: metadata: %w", name, err) }
	m, err := metadata.Parse(bytes)
	if err != nil {
		return fail(err)
	}
	if v, known := m.RuntimeVersion(); !known || name != (RuntimeName{v.SpecName, v.SpecVersion}) {
		return fail(fmt.Errorf("they belong to runtime %v", RuntimeName{v.SpecName, v.SpecVersion}))
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
			return fail(fmt.Errorf("they lack %s.%s", item[0], item[1]))
		}
	}
	if parameter := listed.ParameterKey; parameter != "" {
		item, err := decoder.Item("parameters", "parameters", []string{parameter})
		if err != nil {
			return fail(err)
		}
		r.keys = append(r.keys, key{"Parameters.Parameters " + parameter, item.Place()})
	}
	if place := listed.BaseFeeItem; place != "" {
		pallet, item, _ := strings.Cut(place, ".")
		p := m.Pallet(pallet)
		if p == nil || p.Entry(item) == nil {
			return fail(fmt.Errorf("they lack %s", jsonscan.Excerpt(place)))
		}
		r.keys = append(r.keys, key{place, render.Place(p.Prefix, item)})
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

// places returns the storage keys.
func (r *runtime) places() (list [][]byte) {
	for _, k := range r.keys {
		list = append(list, k.place)
	}
	return list
}
