// Package finalitytest makes chains of evidence for finality: validators who sign blocks of a relay chain, sets that
// hand over, and a parachain with a value in its state. It writes bytes from the specification, and shares no code with
// the packages that check them.
package finalitytest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/test/trietest"
)

// Step is a block with its justification, as JSON has it.
type Step struct {
	Header        string   `json:"header,omitempty"`
	Justification string   `json:"justification,omitempty"`
	Ancestors     []string `json:"ancestors,omitempty"`
}

// Root is a trusted set.
type Root struct {
	SetID       string `json:"setId"`
	Authorities string `json:"authorities,omitempty"`
	Announced   string `json:"authoritiesFromScheduledChangeOf,omitempty"`
}

// ReadProof is a node's response.
type ReadProof struct {
	At    string   `json:"at,omitempty"`
	Proof []string `json:"proof"`
}

// Para is a parachain's head in the state of the relay chain.
type Para struct {
	ID        int       `json:"id"`
	Key       string    `json:"key,omitempty"`
	ReadProof ReadProof `json:"readProof"`
	Ancestors []string  `json:"ancestors,omitempty"`
}

// State is a value in a block's state.
type State struct {
	At        string    `json:"at,omitempty"`
	Key       string    `json:"key"`
	ReadProof ReadProof `json:"readProof"`
}

// Evidence is a chain of evidence.
type Evidence struct {
	Root  *Root  `json:"root,omitempty"`
	Steps []Step `json:"steps,omitempty"`
	Relay *Step  `json:"relay,omitempty"`
	Para  *Para  `json:"para,omitempty"`
	State *State `json:"state,omitempty"`
}

// Hex returns 0x-hex.
func Hex(b []byte) string { return "0x" + hex.EncodeToString(b) }

// compact encodes a number of less than 2^30.
func compact(n int) []byte {
	switch {
	case n < 64:
		return []byte{byte(n * 4)}
	case n < 1<<14:
		return []byte{byte(n*4 + 1), byte(n >> 6)}
	}
	return []byte{byte(n*4 + 2), byte(n >> 6), byte(n >> 14), byte(n >> 22)}
}

func u64(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
func u32(n int) []byte    { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

// Validators are the members of a set.
type Validators struct {
	ID   uint64
	keys []ed25519.PrivateKey
}

// NewValidators returns a set of members, all of weight 1. Its keys follow from the ID.
func NewValidators(id uint64, members int) *Validators {
	v := &Validators{ID: id}
	for i := range members {
		seed := sha256.Sum256(fmt.Appendf(nil, "validator %d of set %d", i, id))
		v.keys = append(v.keys, ed25519.NewKeyFromSeed(seed[:]))
	}
	return v
}

// List returns the encoded list of authorities.
func (v *Validators) List() []byte {
	list := compact(len(v.keys))
	for _, key := range v.keys {
		list = slices.Concat(list, key.Public().(ed25519.PublicKey), u64(1))
	}
	return list
}

// Announcement returns the digest item that announces the set, in force after delay more blocks.
func (v *Validators) Announcement(delay int) []byte {
	log := slices.Concat([]byte{1}, v.List(), u32(delay))
	return slices.Concat([]byte{4}, []byte("FRNK"), compact(len(log)), log)
}

// Sign returns a justification of a block by the first members of the set that suffice.
func (v *Validators) Sign(b *Block) []byte { return v.SignHash(b.Hash(), b.Number) }

// SignHash is Sign for a block of which only the hash and the height are at hand.
func (v *Validators) SignHash(hash [32]byte, height int) []byte {
	signers := len(v.keys) - (len(v.keys)-1)/3
	target := slices.Concat(hash[:], u32(height))
	const round = 9
	out := slices.Concat(u64(round), target, compact(signers))
	for _, key := range v.keys[:signers] {
		message := slices.Concat([]byte{1}, target, u64(round), u64(v.ID))
		out = slices.Concat(out, target, ed25519.Sign(key, message), key.Public().(ed25519.PublicKey))
	}
	return append(out, 0)
}

// Block is a block's header.
type Block struct {
	Parent [32]byte
	Number int
	Root   [32]byte // of the state
	Logs   [][]byte
}

// Encode returns the header.
func (b *Block) Encode() []byte {
	out := slices.Concat(b.Parent[:], compact(b.Number), b.Root[:], make([]byte, 32), compact(len(b.Logs)))
	return append(out, slices.Concat(b.Logs...)...)
}

// Hash returns the block's hash.
func (b *Block) Hash() [32]byte { return blake2b.Sum256(b.Encode()) }

// Line returns a chain of blocks from a height on, all with the state's root.
func Line(first, blocks int, root [32]byte) (list []*Block) {
	var parent [32]byte
	for n := range blocks {
		b := &Block{Parent: parent, Number: first + n, Root: root}
		list, parent = append(list, b), b.Hash()
	}
	return list
}

// state returns a trie with a value beside others, and the root.
func state(key, value []byte) (*trietest.Trie, [32]byte) {
	trie := trietest.New(1)
	for i := range 40 {
		other := blake2b.Sum256([]byte{byte(i)})
		trie.Set(other[:], other[:])
	}
	trie.Set(key, value)
	return trie, trie.Root()
}

func proof(trie *trietest.Trie, at [32]byte, key []byte) ReadProof {
	p := ReadProof{At: Hex(at[:])}
	for _, node := range trie.Proof(key) {
		p.Proof = append(p.Proof, Hex(node))
	}
	return p
}

// HeadKey is the key of the head of parachain 2004, as published.
var HeadKey = unhex("cd710b30bd2eab0352ddcc26417aa1941b3c252fcb29d88eff4f3de5de4476c39f434b9dae0bfb8ed4070000")

func unhex(text string) []byte {
	b, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return b
}

// Events is what the parachain's state has at [EventsKey].
var (
	Events    = []byte("\x04events of a block, longer than a hash has bytes")
	EventsKey = unhex("26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7")
)

// Make returns evidence: set 5, of seven validators, hands over at blocks 100 and 200, and set 7 finalizes block 303,
// in whose grandparent the parachain 2004 has the head 1010. The value is in the state of block 1008.
func Make() *Evidence {
	sets := []*Validators{NewValidators(5, 7), NewValidators(6, 4), NewValidators(7, 3)}
	values, valuesRoot := state(EventsKey, Events)
	para := Line(1006, 5, valuesRoot)
	head := para[4].Encode()
	heads, headsRoot := state(HeadKey, append(compact(len(head)), head...))
	relay := Line(300, 4, headsRoot)

	e := &Evidence{Root: &Root{SetID: "5", Authorities: Hex(sets[0].List())}}
	for i, number := range []int{100, 200} {
		b := &Block{Number: number, Logs: [][]byte{{6, 'B', 'A', 'B', 'E', 4, 1}, sets[i+1].Announcement(0)}}
		e.Steps = append(e.Steps, Step{Header: Hex(b.Encode()), Justification: Hex(sets[i].Sign(b))})
	}
	e.Relay = &Step{Header: Hex(relay[3].Encode()), Justification: Hex(sets[2].Sign(relay[3]))}
	for _, b := range relay[:3] {
		e.Relay.Ancestors = append(e.Relay.Ancestors, Hex(b.Encode()))
	}
	e.Para = &Para{ID: 2004, Key: Hex(HeadKey), ReadProof: proof(heads, relay[1].Hash(), HeadKey)}
	for _, b := range para[:4] {
		e.Para.Ancestors = append(e.Para.Ancestors, Hex(b.Encode()))
	}
	at := para[2].Hash()
	e.State = &State{At: Hex(at[:]), Key: Hex(EventsKey), ReadProof: proof(values, at, EventsKey)}
	return e
}
