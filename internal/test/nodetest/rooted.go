package nodetest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/test/trietest"
)

// The keys at which a rooted chain's state differs from the recorded one.
const (
	parentHashKey = "0x26aa394eea5630e07c48ae0c9558cef78a42f33323cb5ced3b44dd825fda9fcc" // System.ParentHash
	codeKey       = "0x3a636f6465"                                                       // :code
)

// codeSize is the size of the placeholder for the runtime's code: the start of the metadata.
const codeSize = 4 << 10

// Root rebuilds the headers of the recorded chain with right roots, because the recorded simulator's prove
// nothing: the extrinsics root of the recorded extrinsics, and the root of a trie, of layout 0 or 1, of
// everything recorded of the block's state. So each block gets a new hash, by which it is requested from then
// on. The state names it as the parent of the next block, and contains a placeholder for the runtime's code;
// everything else is as recorded. The node proves any key (state_getReadProof): one without a recording has no
// value in the trie, and state_getStorage rejects it nonetheless.
//
// A mill created afterwards has the roots of its source blocks, including what these state about their
// parents. An upgrade does not change the state.
func (n *Node) Root(layout int) error {
	if n.mill != nil {
		return fmt.Errorf("a mill's blocks have the roots of the recorded ones: make those before")
	}
	states, err := n.states()
	if err != nil {
		return err
	}
	code := string(n.metadata[:len(`"0x`)+2*codeSize]) + `"`
	tries := map[string]*trietest.Trie{}
	var names []string // each hash, and its replacement
	for height, was := range n.hashes {
		b, err := n.block(was)
		if err != nil {
			return err
		}
		h, state := &b.Block.Header, states[was]
		if height > 0 {
			h.ParentHash = names[len(names)-1]
		}
		state[parentHashKey], state[codeKey] = quoted(h.ParentHash), json.RawMessage(code)
		trie, err := stateTrie(layout, state)
		if err != nil {
			return fmt.Errorf("the state of block %d: %w", height, err)
		}
		h.StateRoot = hash(trie.Root())
		if h.ExtrinsicsRoot, err = extrinsicsRoot(b.Block.Extrinsics); err != nil {
			return fmt.Errorf("the extrinsics of block %d: %w", height, err)
		}
		is, err := h.hash(uint64(height))
		if err != nil {
			return fmt.Errorf("block %d: %w", height, err)
		}
		for _, key := range []string{parentHashKey, codeKey} {
			n.recorded["state_getStorage"][storageKey(key, was)] = recording{Result: state[key]}
		}
		header, block := b.texts()
		n.recorded["chain_getHeader"][key([]json.RawMessage{quoted(was)})] = recording{Result: header}
		n.recorded["chain_getBlock"][key([]json.RawMessage{quoted(was)})] = recording{Result: block}
		tries[is] = trie
		names = append(names, was, is)
	}
	n.rename(names)
	n.tries = tries
	return n.setStateVersion(layout)
}

// states returns the recorded state of each block, by the block's hash and by key. Null means no value.
func (n *Node) states() (map[string]map[string]json.RawMessage, error) {
	states := map[string]map[string]json.RawMessage{}
	for params, r := range n.recorded["state_getStorage"] {
		var of []string // the key, and the block
		if err := json.Unmarshal([]byte(params), &of); err != nil || len(of) != 2 {
			return nil, fmt.Errorf("state_getStorage was asked with %s", params)
		}
		if states[of[1]] == nil {
			states[of[1]] = map[string]json.RawMessage{}
		}
		if r.Result != nil && string(r.Result) != "null" {
			states[of[1]][of[0]] = r.Result
		}
	}
	return states, nil
}

func stateTrie(layout int, state map[string]json.RawMessage) (*trietest.Trie, error) {
	t := trietest.New(layout)
	for name, text := range state {
		key, err := unhex(quoted(name))
		if err != nil {
			return nil, err
		}
		value, err := unhex(text)
		if err != nil {
			return nil, err
		}
		t.Set(key, value)
	}
	return t, nil
}

// extrinsicsRoot returns the root of extrinsics by index: runtimes compute it in layout 0.
func extrinsicsRoot(extrinsics json.RawMessage) (string, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(extrinsics, &list); err != nil {
		return "", err
	}
	t := trietest.New(0)
	for i, text := range list {
		x, err := unhex(text)
		if err != nil {
			return "", err
		}
		t.Set(appendCompact(nil, uint64(i)), x)
	}
	return hash(t.Root()), nil
}

func hash(h [32]byte) string { return "0x" + hex.EncodeToString(h[:]) }

// unhex decodes quoted 0x-hex.
func unhex(text json.RawMessage) ([]byte, error) {
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return nil, err
	}
	digits, prefixed := strings.CutPrefix(name, "0x")
	if !prefixed {
		return nil, fmt.Errorf("%q does not begin with 0x", name)
	}
	return hex.DecodeString(digits)
}

func storageKey(of, block string) string { return key([]json.RawMessage{quoted(of), quoted(block)}) }

// rename gives blocks new hashes, in all responses.
func (n *Node) rename(names []string) {
	other := strings.NewReplacer(names...)
	for method, answers := range n.recorded {
		renamed := map[string]recording{}
		for params, r := range answers {
			renamed[other.Replace(params)] = r
		}
		n.recorded[method] = renamed
	}
	n.heights = map[string]int{}
	for height, was := range n.hashes {
		n.hashes[height] = other.Replace(was)
		n.heights[n.hashes[height]] = height
	}
}

// setStateVersion sets the layout in the runtime's version.
func (n *Node) setStateVersion(layout int) error {
	for params, r := range n.recorded["state_getRuntimeVersion"] {
		var said map[string]json.RawMessage
		if err := json.Unmarshal(r.Result, &said); err != nil {
			return fmt.Errorf("state_getRuntimeVersion: %w", err)
		}
		said["stateVersion"] = json.RawMessage(strconv.Itoa(layout))
		text, err := json.Marshal(said)
		if err != nil {
			return err
		}
		n.recorded["state_getRuntimeVersion"][params] = recording{Result: text}
	}
	return nil
}

// proof returns state_getReadProof of keys, at a block that is requested by its hash and has the state of a
// recorded one.
func (n *Node) proof(list json.RawMessage, asked, recorded string) (result, failure json.RawMessage) {
	var names []json.RawMessage
	if err := json.Unmarshal(list, &names); err != nil {
		return nil, json.RawMessage(invalidParams)
	}
	keys := make([][]byte, len(names))
	for i, name := range names {
		var err error
		if keys[i], err = unhex(name); err != nil {
			return nil, json.RawMessage(invalidParams)
		}
	}
	parts := []string{}
	for _, part := range n.tries[recorded].Proof(keys...) {
		parts = append(parts, "0x"+hex.EncodeToString(part))
	}
	text, err := json.Marshal(struct {
		At    string   `json:"at"`
		Proof []string `json:"proof"`
	}{asked, parts})
	if err != nil {
		panic(err) // texts have a JSON form
	}
	return text, nil
}

// ofStored implements state_getStorageHash and state_getStorageSize: a stored value without returning it.
func (n *Node) ofStored(method string, params []json.RawMessage) (result, failure json.RawMessage) {
	result, failure = n.replay("state_getStorage", params)
	if failure != nil || result == nil || string(result) == "null" {
		return nil, failure
	}
	value, err := unhex(result)
	if err != nil {
		panic(err) // it is in the trie
	}
	if method == "state_getStorageSize" {
		return json.RawMessage(strconv.Itoa(len(value))), nil
	}
	return quoted(hash(blake2b.Sum256(value))), nil
}
