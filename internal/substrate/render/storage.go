package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// RefusedError is Sidecar's error response.
type RefusedError struct {
	Status  int // HTTP status
	Message string
	// Meaning is [chain.ErrNoBlock], [chain.ErrNotOffered] or [chain.ErrUnsupported], or nil if not determined yet.
	Meaning error
}

// Error returns the node's message for a missing block, and Sidecar's otherwise.
func (e *RefusedError) Error() string {
	if errors.Is(e.Meaning, chain.ErrNoBlock) {
		return e.Meaning.Error()
	}
	return e.Message
}

func (e *RefusedError) Unwrap() error { return e.Meaning }

const badRequest, internalError = 400, 500

// NoBlock is Sidecar's message for a block that the chain does not have.
const NoBlock = "Unable to retrieve header and parent from supplied hash"

// Refused returns a refusal without a meaning.
func Refused(status int, format string, args ...any) error {
	return &RefusedError{Status: status, Message: fmt.Sprintf(format, args...)}
}

// At identifies the block whose state a response describes.
type At struct {
	Hash   chain.Hash
	Height uint64
}

func (at At) hashFirst(to []byte) []byte {
	to = appendHash(append(to, `{"at":{"hash":`...), at.Hash)
	return append(appendNumber(append(to, `,"height":`...), at.Height), '}')
}

// Item is an item of a pallet's storage, with the requested keys.
type Item struct {
	runtime *Runtime
	pallet  *metadata.Pallet
	entry   *metadata.StorageEntry
	name    string // in the response
	keys    []string
	place   []byte // the storage key
	head    []byte // of the response, from the pallet to the value
}

// maxItems limits the items that a runtime remembers.
const maxItems = 64

// Item returns an item of a pallet's storage. Names of pallets and items are accepted in any spelling that
// converts to their camelCase form; a pallet's also in any case. Keys are decimal integers, or the key's SCALE
// in hex, which addresses and hashes already are. Other forms that polkadot-js accepts are an error here.
func (r *Runtime) Item(pallet, name string, keys []string) (*Item, error) {
	if len(keys) > 0 {
		return r.findItem(pallet, name, keys)
	}
	asked := [2]string{pallet, name}
	r.remembering.RLock()
	known := r.items[asked]
	r.remembering.RUnlock()
	if known != nil {
		return known, nil
	}
	i, err := r.findItem(pallet, name, nil)
	if err != nil {
		return nil, err
	}
	r.remembering.Lock()
	defer r.remembering.Unlock()
	if len(r.items) < maxItems {
		r.items[asked] = i
	}
	return i, nil
}

func (r *Runtime) findItem(pallet, name string, keys []string) (*Item, error) {
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
	if err := i.readKeys(); err != nil {
		return nil, err
	}
	i.head = scalejson.AppendString([]byte(`,"pallet":`), scalejson.CamelCase(i.pallet.Name))
	i.head = appendNumber(append(i.head, `,"palletIndex":`...), uint64(i.pallet.Index))
	i.head = scalejson.AppendString(append(i.head, `,"storageItem":`...), i.name)
	i.head = append(i.head, `,"keys":[`...)
	for n, key := range i.keys {
		if n > 0 {
			i.head = append(i.head, ',')
		}
		i.head = scalejson.AppendString(i.head, key)
	}
	i.head = append(i.head, `],"value":`...)
	return i, nil
}

// readKeys checks the keys, and completes the storage key with them.
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
	i.place = Place(i.pallet.Prefix, i.entry.Name)
	for at, id := range types {
		coded, err := i.runtime.codec.Key(id, i.keys[at])
		if err != nil {
			return Refused(internalError, "%s: key %q: %v", full, i.keys[at], err)
		}
		i.place = append(i.place, hashed(i.entry.Hashers[at], coded)...)
	}
	return nil
}

// names returns polkadot-js's names of types: those with a built-in path, and primitive types. It uses longer
// names for others.
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

// Place returns the storage key of an item that is not a map. The prefix is the pallet's name, unless the
// metadata specify another.
func Place(prefix, name string) []byte {
	return append(twox(128, []byte(prefix)), twox(128, []byte(name))...)
}

// Place returns the storage key of the item (state_getStorage).
func (i *Item) Place() []byte { return slices.Clip(i.place) }

// Answer returns the response of /pallets/PALLET/storage/ITEM. Stored is nil if nothing is stored.
func (i *Item) Answer(at At, stored []byte) ([]byte, error) {
	to, err := i.value(append(at.hashFirst(nil), i.head...), stored)
	if err != nil {
		return nil, fmt.Errorf("%s.%s at block %d: %w", i.pallet.Name, i.entry.Name, at.Height, err)
	}
	return append(to, '}'), nil
}

// value appends the stored value, or the default.
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
