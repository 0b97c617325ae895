package chaingen

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// The metadata of two of Moonbeam's runtimes, from state_getMetadata. Those of [FirstRuntime] were never
// recorded: it has the types of 2100 here.
var (
	//go:embed runtimes/moonbeam-2100.scale.zst
	firstMetadata []byte
	//go:embed runtimes/moonbeam-2600.scale.zst
	secondMetadata []byte
)

// trieNodes is the relay chain's state in a recorded setValidationData.
//
//go:embed trie_nodes.json
var trieNodes string

// runtime is a runtime that executes blocks, with the indices of its calls and events.
type runtime struct {
	version   uint32
	metadata  []byte // from state_getMetadata
	decoder   *render.Runtime
	calls     map[string][2]byte // by pallet and name
	events    map[string][2]byte
	extraData bool     // the last field of Ethereum.Executed
	relay     []byte   // trieNodes, encoded
	places    []string // the storage keys of the kept items
	pallets   []string // the key prefix of each pallet
}

// newRuntime parses the metadata after setting the name of the runtime.
func newRuntime(packed []byte, specName string, version uint32) *runtime {
	unpacker, err := zstd.NewReader(nil)
	must(err)
	defer unpacker.Close()
	text, err := unpacker.DecodeAll(packed, nil)
	must(err)
	text = renamed(text, specName, version)
	m, err := metadata.Parse(text)
	must(err)
	r := &runtime{version: version, metadata: text, calls: map[string][2]byte{}, events: map[string][2]byte{}}
	r.decoder, err = render.NewRuntime(m)
	must(err)
	for i := range m.Pallets {
		p := &m.Pallets[i]
		r.addPallet(p)
		for _, part := range []struct {
			of *metadata.TypeID
			to map[string][2]byte
		}{{p.Calls, r.calls}, {p.Events, r.events}} {
			if part.of == nil {
				continue
			}
			for _, v := range m.Types[*part.of].Variants {
				name := p.Name + "." + v.Name
				part.to[name] = [2]byte{p.Index, v.Index}
				r.extraData = r.extraData || name == "Ethereum.Executed" && len(v.Fields) == 5
			}
		}
	}
	for _, k := range kept {
		item, err := r.decoder.Item(k.pallet, k.name, nil)
		must(err)
		r.places = append(r.places, string(item.Place()))
	}
	nodes, err := jsonscan.Parse(trieNodes)
	must(err)
	for id := range m.Types {
		if m.Types[id].Is("BTreeSet") {
			r.relay, err = scalejson.NewEncoder(m).Value(nil, metadata.TypeID(id), nodes)
			must(err)
		}
	}
	return r
}

// renamed returns metadata whose constant System.Version names a different runtime: it starts with specName,
// implName, authoringVersion and specVersion.
func renamed(text []byte, specName string, version uint32) []byte {
	m, err := metadata.Parse(text)
	must(err)
	was := m.Pallet("System").Constant("Version").Value
	name := append([]byte{byte(len(specName) << 2)}, specName...)
	rest := was[2*(1+int(was[0]>>2)):] // after two names of less than 64 letters
	is := bytes.Join([][]byte{name, name, rest[:4], binary.LittleEndian.AppendUint32(nil, version), rest[8:]}, nil)
	before := append(scale.AppendCompact(nil, uint64(len(was))), was...)
	if bytes.Count(text, before) != 1 {
		panic("chaingen: the metadata do not have their System.Version once")
	}
	return bytes.Replace(text, before, append(scale.AppendCompact(nil, uint64(len(is))), is...), 1)
}

// specification returns the response to state_getRuntimeVersion.
func (r *runtime) specification(specName string) string {
	return fmt.Sprintf(`{"specName":%q,"implName":%q,"authoringVersion":3,"specVersion":%d,"implVersion":0,"apis":[],"transactionVersion":2,"stateVersion":%d}`,
		specName, specName, r.version, r.stateVersion())
}

// stateVersion returns the layout of the tries that the runtime creates.
func (r *runtime) stateVersion() int {
	if r.version < SecondRuntime {
		return 0
	}
	return 1
}

// addPallet adds a pallet's key prefix, if it has an item that is not a map.
func (r *runtime) addPallet(p *metadata.Pallet) {
	for i := range p.Storage {
		if e := &p.Storage[i]; len(e.Hashers) == 0 {
			item, err := r.decoder.Item(p.Name, e.Name, nil)
			must(err)
			r.pallets = append(r.pallets, string(item.Place()[:16]))
			return
		}
	}
}

// index returns the index of a call or an event. It panics if the runtime does not have it.
func index(of map[string][2]byte, name string) [2]byte {
	i, there := of[name]
	if !there {
		panic("chaingen: the runtime has no " + name)
	}
	return i
}

// must panics if built-in data cannot be read.
func must(err error) {
	if err != nil {
		panic(fmt.Errorf("chaingen: %w", err))
	}
}

// has reports whether the runtime has an event.
func (r *runtime) has(event string) bool {
	_, there := r.events[event]
	return there
}
