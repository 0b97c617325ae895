package finalitytest

import (
	"encoding/json"
	"slices"

	"github.com/feeledger/fees/internal/test/rpcserver"
	"github.com/feeledger/fees/internal/test/trietest"
)

// Storage keys, as published: Grandpa.CurrentSetId, Grandpa.Authorities, ParachainInfo.ParachainId.
var (
	SetIDKey       = unhex("5f9cc45b7a00c5899361e1c6099678dc8a2d09463effcc78a22d75b9cb87dffc")
	AuthoritiesKey = unhex("5f9cc45b7a00c5899361e1c6099678dc5e0621c4869aa60c02be9adcc98a0d1d")
	ParaIDKey      = unhex("0d715f2646c8f85767b5d2764bb2782604a74d81251e398fd8a0a4d55023bb3f")
)

// Relay is a relay chain with a node. The state of a block that hands over names the next set, as on a real chain.
type Relay struct {
	Blocks []*Block
	Sets   []*Validators // Sets[i] has the ID i
	// Pruned makes the node refuse states below this height.
	Pruned int

	states         []*trietest.Trie
	justifications map[int][]byte
	byHash         map[string]int
}

// NewRelay returns a chain of blocks. At each height of handsOver, the set in force hands over to the next. The state has
// what head returns as the head of parachain 2004, unless it is nil.
func NewRelay(blocks int, handsOver []int, head func(height int) []byte) *Relay {
	r := &Relay{Sets: []*Validators{NewValidators(0, 4)}, justifications: map[int][]byte{}, byHash: map[string]int{}}
	var parent [32]byte
	for n := range blocks {
		b := &Block{Parent: parent, Number: n}
		set := r.Sets[len(r.Sets)-1]
		if last := slices.Contains(handsOver, n); last {
			next := NewValidators(set.ID+1, 3+len(r.Sets)%3)
			b.Logs = append(b.Logs, next.Announcement(0))
			r.Sets = append(r.Sets, next)
		}
		inForce := r.Sets[len(r.Sets)-1]
		state := trietest.New(1)
		state.Set(SetIDKey, u64(inForce.ID))
		state.Set(AuthoritiesKey, inForce.List())
		if h := head(n); h != nil {
			state.Set(HeadKey, append(compact(len(h)), h...))
		}
		b.Root = state.Root()
		hash := b.Hash()
		if len(b.Logs) > 0 || n == blocks-1 {
			r.justifications[n] = set.Sign(b)
		}
		r.Blocks, r.states, parent = append(r.Blocks, b), append(r.states, state), hash
		r.byHash[Hex(hash[:])] = n
	}
	return r
}

// Root returns the first set, as a root.
func (r *Relay) Root() Root { return Root{SetID: "0", Authorities: Hex(r.Sets[0].List())} }

// pruned is a node's error for a state that it dropped.
var pruned = &rpcserver.Error{Code: -32000, Message: "UnknownBlock: State already discarded"}

// Node returns a node of the chain.
func (r *Relay) Node() *rpcserver.Server {
	answer := func(f func(n int, params []json.RawMessage) any, at int, state bool) rpcserver.Method {
		return func(params []json.RawMessage) ([]byte, error) {
			n := len(r.Blocks) - 1
			if at < len(params) {
				var text string
				if json.Unmarshal(params[at], &text) != nil {
					return nil, rpcserver.InvalidParams
				}
				known := false
				if n, known = r.byHash[text]; !known {
					return []byte("null"), nil
				}
			}
			if state && n < r.Pruned {
				return nil, pruned
			}
			return json.Marshal(f(n, params))
		}
	}
	byHeight := func(f func(n int) any) rpcserver.Method {
		return func(params []json.RawMessage) ([]byte, error) {
			n := 0
			if len(params) != 1 || json.Unmarshal(params[0], &n) != nil {
				return nil, rpcserver.InvalidParams
			}
			if n < 0 || n >= len(r.Blocks) {
				return []byte("null"), nil
			}
			return json.Marshal(f(n))
		}
	}
	hashOf := func(n int) any { hash := r.Blocks[n].Hash(); return Hex(hash[:]) }
	return &rpcserver.Server{Methods: map[string]rpcserver.Method{
		"chain_getBlockHash":     byHeight(hashOf),
		"chain_getFinalizedHead": answer(func(n int, _ []json.RawMessage) any { return hashOf(n) }, 0, false),
		"chain_getHeader":        answer(func(n int, _ []json.RawMessage) any { return r.header(n) }, 0, false),
		"chain_getBlock": answer(func(n int, _ []json.RawMessage) any {
			return map[string]any{"block": map[string]any{"header": r.header(n), "extrinsics": []string{}}, "justifications": r.stored(n)}
		}, 0, false),
		"grandpa_proveFinality": byHeight(func(n int) any {
			for at := n; at < len(r.Blocks); at++ {
				if j := r.justifications[at]; j != nil {
					hash := r.Blocks[at].Hash()
					return Hex(slices.Concat(hash[:], compact(len(j)), j, []byte{0}))
				}
			}
			return nil
		}),
		"state_getStorage": answer(func(n int, params []json.RawMessage) any {
			var key string
			json.Unmarshal(params[0], &key)
			if value := r.states[n].Get(unhex(key[2:])); value != nil {
				return Hex(value)
			}
			return nil
		}, 1, true),
		"state_getReadProof": answer(func(n int, params []json.RawMessage) any {
			var keys []string
			json.Unmarshal(params[0], &keys)
			return proof(r.states[n], r.Blocks[n].Hash(), unhex(keys[0][2:]))
		}, 1, true),
	}}
}

// stored returns a block's justification as a node does.
func (r *Relay) stored(n int) any {
	j := r.justifications[n]
	if j == nil {
		return nil
	}
	numbers := make([]int, len(j))
	for i, b := range j {
		numbers[i] = int(b)
	}
	return [][]any{{[]int{'F', 'R', 'N', 'K'}, numbers}}
}

func (r *Relay) header(n int) any {
	b, logs := r.Blocks[n], []string{}
	for _, log := range b.Logs {
		logs = append(logs, Hex(log))
	}
	return map[string]any{
		"parentHash": Hex(b.Parent[:]), "number": Hex([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), "stateRoot": Hex(b.Root[:]),
		"extrinsicsRoot": Hex(make([]byte, 32)), "digest": map[string]any{"logs": logs},
	}
}

// MakeParachain makes a node say that its chain is parachain 2004, without validators of its own.
func MakeParachain(node *rpcserver.Server) *rpcserver.Server {
	storage := node.Methods["state_getStorage"]
	node.Methods["state_getStorage"] = func(params []json.RawMessage) ([]byte, error) {
		if len(params) > 0 && string(params[0]) == `"`+Hex(ParaIDKey)+`"` {
			return json.Marshal(Hex(u32(2004)))
		}
		if len(params) > 0 && string(params[0]) == `"`+Hex(SetIDKey)+`"` {
			return []byte("null"), nil
		}
		return storage(params)
	}
	return node
}
