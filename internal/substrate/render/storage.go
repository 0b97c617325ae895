package render

import (
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// RefusedError is what Sidecar says where a question has no answer.
type RefusedError struct {
	Status  int // of HTTP
	Message string
	// Meaning is [chain.ErrNoBlock], [chain.ErrNotOffered] or [chain.ErrCannotTell], nil where
	// that is not known yet.
	Meaning error
}

// Error says of a block that is not there what the node says, and else what Sidecar does.
func (e *RefusedError) Error() string {
	if errors.Is(e.Meaning, chain.ErrNoBlock) {
		return e.Meaning.Error()
	}
	return e.Message
}

func (e *RefusedError) Unwrap() error { return e.Meaning }

const badRequest, internalError = 400, 500

// NoBlock is what Sidecar says of a block that the chain does not have.
const NoBlock = "Unable to retrieve header and parent from supplied hash"

// Refused is a refusal whose meaning is not known yet.
func Refused(status int, format string, args ...any) error {
	return &RefusedError{Status: status, Message: fmt.Sprintf(format, args...)}
}

// At is which block's state an answer is of.
type At struct {
	Hash   chain.Hash
	Height uint64
}

func (at At) hashFirst(to []byte) []byte {
	to = appendHash(append(to, `{"at":{"hash":`...), at.Hash)
	return append(appendNumber(append(to, `,"height":`...), at.Height), '}')
}

// Item is an item of a pallet's storage, found by the keys that were asked for.
type Item struct {
	runtime *Runtime
	pallet  *metadata.Pallet
	entry   *metadata.StorageEntry
	name    string // in the answer
	keys    []string
	coded   [][]byte
}

// Item finds an item of a pallet's storage. Pallets and items are named in any spelling that
// becomes their own in camelCase; a pallet may be in capitals or not. Keys are decimal
// integers, or the key's SCALE in hex, which is what an address and a hash are; polkadot-js
// takes other forms too, which are an error here.
func (r *Runtime) Item(pallet, name string, keys []string) (*Item, error) {
	pallet, name = scalejson.CamelCase(pallet), scalejson.CamelCase(name)
	i := &Item{runtime: r, name: name, keys: keys}
	for at := range r.metadata.Pallets {
		if p := &r.metadata.Pallets[at]; strings.EqualFold(p.Name, pallet) {
			i.pallet = p
			break
		}
	}
	if i.pallet == nil {
		return nil, Refused(badRequest, `"%s" was not recognized as a queryable pallet.`, pallet)
	}
	if len(i.pallet.Storage) == 0 {
		return nil, Refused(badRequest, `no queryable storage items found for palletId "%s"`, pallet)
	}
	for at := range i.pallet.Storage {
		if e := &i.pallet.Storage[at]; strings.EqualFold(e.Name, name) {
			i.entry = e
			break
		}
	}
	if i.entry == nil {
		return nil, Refused(internalError,
			`Could not find storage item ("%s") in metadata. storage item names are expected to be in camel case, e.g. 'storageItemId'`, name)
	}
	if scalejson.CamelCase(i.entry.Name) != name {
		return nil, Refused(internalError, "historicApi.query[palletName][storageItemId] is not a function")
	}
	return i, i.readKeys()
}

func (i *Item) readKeys() error {
	types := []metadata.TypeID{i.entry.Key}
	switch hashers := len(i.entry.Hashers); {
	case hashers == 0:
		types = nil
	case hashers > 1:
		types = i.runtime.metadata.Types[i.entry.Key].Elements
	}
	full := scalejson.CamelCase(i.pallet.Name) + "." + i.name
	switch {
	case len(types) != len(i.entry.Hashers):
		return Refused(internalError, "%s: the metadata name %d hashers and %d keys", full, len(i.entry.Hashers), len(types))
	case types == nil && len(i.keys) > 0:
		return Refused(internalError, "%s() does not take any arguments, %d found", full, len(i.keys))
	case len(i.keys) != len(types):
		return Refused(internalError, "%s(%s) is a map, requiring %d arguments, %d found",
			full, i.runtime.names(types), len(types), len(i.keys))
	}
	for at, id := range types {
		coded, err := i.runtime.codec.Key(id, i.keys[at])
		if err != nil {
			return Refused(internalError, "%s: key %q: %v", full, i.keys[at], err)
		}
		i.coded = append(i.coded, coded)
	}
	return nil
}

// names are what polkadot-js calls types: those that it knows by their path, and primitive
// ones. It has longer names for others.
func (r *Runtime) names(ids []metadata.TypeID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		t := &r.metadata.Types[id]
		names[i] = t.Name()
		if t.Kind == metadata.Primitive {
			names[i] = []string{"bool", "u32", "Text", "u8", "u16", "u32", "u64", "u128", "u256", "i8", "i16", "i32", "i64", "i128", "i256"}[t.Primitive]
		}
	}
	return strings.Join(names, ", ")
}

// Place is the key by which a node has an item of storage that is no map. The prefix is the
// pallet's name, where the metadata do not have another.
func Place(prefix, name string) []byte {
	return append(twox(128, []byte(prefix)), twox(128, []byte(name))...)
}

// Place is the key by which a node has the item (state_getStorage).
func (i *Item) Place() []byte {
	place := Place(i.pallet.Prefix, i.entry.Name)
	for at, h := range i.entry.Hashers {
		place = append(place, hashed(h, i.coded[at])...)
	}
	return place
}

// Answer is the answer of /pallets/PALLET/storage/ITEM. What is stored is nil where nothing is.
func (i *Item) Answer(at At, stored []byte) ([]byte, error) {
	to := scalejson.AppendString(append(at.hashFirst(nil), `,"pallet":`...), scalejson.CamelCase(i.pallet.Name))
	to = appendNumber(append(to, `,"palletIndex":`...), uint64(i.pallet.Index))
	to = scalejson.AppendString(append(to, `,"storageItem":`...), i.name)
	to = append(to, `,"keys":[`...)
	for n, key := range i.keys {
		if n > 0 {
			to = append(to, ',')
		}
		to = scalejson.AppendString(to, key)
	}
	to, err := i.value(append(to, `],"value":`...), stored)
	if err != nil {
		return nil, fmt.Errorf("%s.%s at block %d: %w", i.pallet.Name, i.entry.Name, at.Height, err)
	}
	return append(to, '}'), nil
}

// value appends what is stored, or what is read where nothing is.
func (i *Item) value(to, stored []byte) ([]byte, error) {
	if stored == nil && i.entry.Optional {
		return append(to, "null"...), nil
	}
	if stored == nil {
		stored = i.entry.Default
	}
	w := scalejson.Writer{Reader: scale.NewReader(stored), Text: to}
	i.runtime.codec.Value(&w, i.entry.Value)
	return w.Text, w.End()
}
