package finality_test

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/finality"
	"github.com/feeledger/fees/internal/test/finalitytest"
	"github.com/feeledger/fees/internal/test/tier"
)

// Real chains lead from a relay chain's validators to a parachain's events. The figures are an independent reader's.
func TestRealChains(t *testing.T) {
	for _, c := range []struct {
		file         string
		sets         []uint64
		target, head uint64
	}{
		{"rococo-1843864-para-2090.json", []uint64{3165}, 1_843_864, 785_028},
		{"rococo-1855295-para-2090.json", []uint64{3184}, 1_855_295, 789_582},
		{"rococo-hop-1238286-1238699.json", []uint64{2149, 2150}, 1_238_699, 0},
	} {
		r, err := prove(shared(t, c.file), finality.Options{})
		require.NoError(t, err, c.file)
		require.True(t, r.Final)
		require.Equal(t, c.sets, r.Sets)
		target, _ := r.Target.Get()
		require.Equal(t, c.target, target.Height)
		head, has := r.Head.Get()
		require.Equal(t, c.head > 0, has)
		require.Equal(t, c.head, head.Height)
		value, has := r.Value.Get()
		require.Equal(t, c.head == 785_028, has)
		if has {
			require.EqualValues(t, 785_025, value.At.Height)
			require.Len(t, value.Bytes, 391)
			var f struct {
				State struct{ ValueContains string }
			}
			require.NoError(t, json.Unmarshal([]byte(shared(t, c.file)), &f))
			require.Contains(t, hex.EncodeToString(value.Bytes), f.State.ValueContains[2:])
		}
	}
}

// A parachain's head in Polkadot's state, from a trusted state root's block: here of a header made for the root.
func TestRealHead(t *testing.T) {
	var f struct {
		StateRoot string
		ReadProof finalitytest.ReadProof
	}
	require.NoError(t, json.Unmarshal([]byte(shared(t, "polkadot-16363919-paras-heads-2086.json")), &f))
	root, err := chain.ParseHash(f.StateRoot)
	require.NoError(t, err)
	set, b := finalitytest.NewValidators(1, 4), &finalitytest.Block{Number: 16_363_919, Root: root}
	f.ReadProof.At = ""
	r := requireFinal(t, &finalitytest.Evidence{
		Root:  &finalitytest.Root{SetID: "1", Authorities: finalitytest.Hex(set.List())},
		Relay: &finalitytest.Step{Header: finalitytest.Hex(b.Encode()), Justification: finalitytest.Hex(set.Sign(b))},
		Para:  &finalitytest.Para{ID: 2086, ReadProof: f.ReadProof},
	})
	head, _ := r.Head.Get()
	require.Equal(t, "4183228:0xed99087639b9003149d7745dcdb4c90074b305069d2f27ee47b00b7d2161426a", head.Anchor.String())
}

// The published keys of Moonbeam's and Moonriver's heads.
func TestHeadKey(t *testing.T) {
	require.Equal(t, finalitytest.HeadKey, finality.HeadKey(2004))
	require.Equal(t, "cd43cc37e6deba07e7070000", hex.EncodeToString(finality.HeadKey(2023))[64:])
}

// All links are proved, and each part can be left out from the end.
func TestMade(t *testing.T) {
	e := finalitytest.Make()
	r := requireFinal(t, e)
	require.Equal(t, []uint64{5, 6, 7}, r.Sets)
	target, _ := r.Target.Get()
	require.EqualValues(t, 303, target.Height)
	head, _ := r.Head.Get()
	require.EqualValues(t, 2004, head.Para)
	require.EqualValues(t, 1010, head.Height)
	value, _ := r.Value.Get()
	require.EqualValues(t, 1008, value.At.Height)
	require.Equal(t, finalitytest.Events, value.Bytes)
	var kinds []finality.Kind
	for _, l := range r.Links {
		kinds = append(kinds, l.Kind)
	}
	require.Equal(t, []finality.Kind{"set", "final", "hand-off", "final", "hand-off", "final", "ancestors", "head", "ancestors", "state"}, kinds)

	e.State = nil
	requireFinal(t, e)
	e.Para = nil
	requireFinal(t, e)
	e.Relay = nil
	require.Equal(t, []uint64{5, 6}, requireFinal(t, e).Sets)
	e.Steps[1].Header = ""
	last := requireFinal(t, e)
	require.Equal(t, finality.KindFinal, last.Links[len(last.Links)-1].Kind, "without its header, the block does not hand over")
	e.Steps[0].Header = ""
	_, err := prove(text(t, e), finality.Options{})
	require.ErrorContains(t, err, "steps[1]: block 200: not proved final by set 5: ")
}

// A solo chain's state is proved directly.
func TestSoloChain(t *testing.T) {
	e := finalitytest.Make()
	r := requireFinal(t, &finalitytest.Evidence{Root: e.Root, Steps: append(e.Steps, *e.Relay), State: &finalitytest.State{Key: e.Para.Key, ReadProof: e.Para.ReadProof}})
	value, _ := r.Value.Get()
	require.EqualValues(t, 301, value.At.Height)
	require.True(t, value.Has)
}

// A trusted relay block replaces validators, and the result says so.
func TestTrustedBlock(t *testing.T) {
	e := finalitytest.Make()
	full := requireFinal(t, e)
	target, _ := full.Target.Get()
	e.Root, e.Steps, e.Relay.Justification = nil, nil, ""
	r, err := prove(text(t, e), finality.Options{Trust: chain.Some(target)})
	require.NoError(t, err)
	require.False(t, r.Final)
	require.Empty(t, r.Sets)
	require.Equal(t, full.Value, r.Value)
	require.Equal(t, "block "+target.String()+" is trusted: no signature was checked", r.Links[0].Reason)
	target.Height++
	_, err = prove(text(t, e), finality.Options{Trust: chain.Some(target)})
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	target.Hash[0]++
	_, err = prove(text(t, e), finality.Options{Trust: chain.Some(target)})
	require.ErrorContains(t, err, "no header of the trusted block")
	_, err = prove(text(t, e), finality.Options{})
	require.ErrorContains(t, err, "root is missing")
}

// A set from elsewhere replaces the evidence's own.
func TestOtherRoot(t *testing.T) {
	e := finalitytest.Make()
	own := *e.Root
	e.Root = &finalitytest.Root{SetID: "5", Authorities: finalitytest.Hex(finalitytest.NewValidators(9, 3).List())}
	_, err := prove(text(t, e), finality.Options{})
	require.ErrorContains(t, err, "steps[0]: block 100: not proved final by set 5: the voter 0x")
	root, err := finality.ParseRoot(text(t, own))
	require.NoError(t, err)
	r, err := prove(text(t, e), finality.Options{Root: chain.Some(root)})
	require.NoError(t, err)
	require.True(t, r.Final)
}

// Sets are read from chain specifications, checkpoints, headers and lists.
func TestRoots(t *testing.T) {
	list := finalitytest.NewValidators(0, 4).List()
	announcing := &finalitytest.Block{Number: 9, Logs: [][]byte{finalitytest.NewValidators(0, 4).Announcement(2)}}
	top := func(key string, value []byte) map[string]any {
		return map[string]any{"name": "a chain", "genesis": map[string]any{"raw": map[string]any{"top": map[string]any{"0x00": "0x", key: finalitytest.Hex(value)}}}}
	}
	for name, c := range map[string]struct {
		file   any
		id     uint64
		first  uint64
		source string
	}{
		"genesis":         {top("0x5f9cc45b7a00c5899361e1c6099678dc5e0621c4869aa60c02be9adcc98a0d1d", list), 0, 0, "genesis of a chain specification"},
		"earlier genesis": {top("0x3a6772616e6470615f617574686f726974696573", append([]byte{1}, list...)), 0, 0, "genesis of a chain specification"},
		"list":            {finalitytest.Root{SetID: "8", Authorities: finalitytest.Hex(list)}, 8, 0, "given as a list of authorities"},
		"evidence":        {finalitytest.Evidence{Root: &finalitytest.Root{SetID: "8", Announced: finalitytest.Hex(announcing.Encode())}}, 8, 12, "announced by block 9 (0x"},
	} {
		root, err := finality.ParseRoot(text(t, c.file))
		require.NoError(t, err, name)
		require.Equal(t, c.id, root.Set.ID, name)
		require.Equal(t, c.first, root.Set.First, name)
		require.Equal(t, 4, root.Set.Members(), name)
		require.True(t, strings.HasPrefix(root.Source, c.source), root.Source)
	}
	for file, want := range map[string]string{
		`{}`:                     "setId: want an integer from 0 to 2^64-1, have nothing",
		`{"setId":1}`:            "no set of validators",
		`{"setId":-1}`:           "setId: want an integer",
		`{"genesis":{"raw":{}}}`: "genesis: it has no raw state with authorities",
		`{"lightSyncState":{"grandpaAuthoritySet":"0x00"}}`: "lightSyncState: grandpaAuthoritySet: authority set: SCALE at byte",
		`{"setId":1,"authorities":"0x00"}`:                  "authorities: authority list: it has no weight",
		`{"setId":1,"authorities":"00"}`:                    "authorities: want bytes in 0x-hex",
	} {
		_, err := finality.ParseRoot(file)
		require.ErrorContains(t, err, want, file)
	}
}

// The checkpoints of real chain specifications are roots, alone or inside a specification.
func TestRealCheckpoints(t *testing.T) {
	for file, want := range map[string]struct {
		id     uint64
		source string
	}{
		"polkadot-32191275-light-sync-state.json": {3533, "checkpoint of block 32191275 (0xb1b60a724cd4988d57465f27d4f2606ed1a52ede4b67341aefa36ef1a1a52d18)"},
		"paseo-7047414-light-sync-state.json":     {2081, "checkpoint of block 7047414 (0xece30799771cb2a479df9e284793dd6c23492f71e27c43708944f951efb1b8b9)"},
	} {
		for _, form := range []string{"%", `{"lightSyncState":%}`, `{"root":%}`, `{"root":{"lightSyncState":%}}`} {
			root, err := finality.ParseRoot(strings.Replace(form, "%", shared(t, file), 1))
			require.NoError(t, err)
			require.Equal(t, want.id, root.Set.ID)
			require.Equal(t, want.source, root.Source)
		}
	}
}

// Each part that does not fit is named.
func TestForgeries(t *testing.T) {
	other := finalitytest.Hex((&finalitytest.Block{Number: 1}).Encode())
	for want, forge := range map[string]func(*finalitytest.Evidence){
		"root is missing":                                         func(e *finalitytest.Evidence) { e.Root = nil },
		"steps and relay are missing":                             func(e *finalitytest.Evidence) { e.Steps, e.Relay = nil, nil },
		"root: setId: want an integer from 0 to 2^64-1":           func(e *finalitytest.Evidence) { e.Root.SetID = "5.0" },
		"steps[0]: block 100: not proved final by set 4":          func(e *finalitytest.Evidence) { e.Root.SetID = "4" },
		"steps[0]: block 200: not proved final by set 5":          func(e *finalitytest.Evidence) { e.Steps[0], e.Steps[1] = e.Steps[1], e.Steps[0] },
		"relay: block 303: not proved final by set 6":             func(e *finalitytest.Evidence) { e.Steps = e.Steps[:1] },
		"steps[0]: block 100: the header is that of block 1:":     func(e *finalitytest.Evidence) { e.Steps[0].Header = other },
		"steps[1]: justification is missing":                      func(e *finalitytest.Evidence) { e.Steps[1].Justification = "" },
		"steps[1]: it has neither a header nor a justification":   func(e *finalitytest.Evidence) { e.Steps[1] = finalitytest.Step{} },
		"steps[1]: justification: want bytes in 0x-hex":           func(e *finalitytest.Evidence) { e.Steps[1].Justification = "12" },
		"relay: ancestors: 1 headers do not lead up to block 303": func(e *finalitytest.Evidence) { e.Relay.Ancestors[0] = other },
		"relay: ancestors: 2 headers do not lead up to block 303": func(e *finalitytest.Evidence) { e.Relay.Ancestors[1] = other },
		"relay: ancestors: a header is repeated":                  func(e *finalitytest.Evidence) { e.Relay.Ancestors = append(e.Relay.Ancestors, e.Relay.Ancestors[0]) },
		"relay: ancestors: [1]: header: SCALE at byte":            func(e *finalitytest.Evidence) { e.Relay.Ancestors[1] = "0x00" },
		"para: block 0x":                                          func(e *finalitytest.Evidence) { e.Relay.Ancestors = nil },
		"para: the header of block 0x":                            func(e *finalitytest.Evidence) { e.Relay.Header, e.Relay.Ancestors, e.Para.ReadProof.At = "", nil, "" },
		"para: the key is of parachain 2004, the ID is 2005":      func(e *finalitytest.Evidence) { e.Para.ID = 2005 },
		"is not the key of a parachain's head":                    func(e *finalitytest.Evidence) { e.Para.Key = e.State.Key },
		"para: readProof: the node with the hash":                 func(e *finalitytest.Evidence) { e.Para.ReadProof.Proof = e.Para.ReadProof.Proof[1:] },
		"para: readProof: want a response of state_getReadProof":  func(e *finalitytest.Evidence) { e.Para.ReadProof.Proof = nil },
		"para: ancestors: 1 headers do not lead up to block 1010": func(e *finalitytest.Evidence) { e.Para.Ancestors[0] = other },
		"state: block 0x":                                         func(e *finalitytest.Evidence) { e.Para.Ancestors = nil },
		"state: at is block 0x":                                   func(e *finalitytest.Evidence) { e.State.At = e.Para.ReadProof.At },
		"state: readProof: the node with the hash": func(e *finalitytest.Evidence) {
			e.State.ReadProof = finalitytest.ReadProof{Proof: e.Para.ReadProof.Proof}
		},
		"state: key: want bytes in 0x-hex": func(e *finalitytest.Evidence) { e.State.Key = "events" },
	} {
		e := finalitytest.Make()
		forge(e)
		r, err := prove(text(t, e), finality.Options{})
		require.ErrorContains(t, err, want)
		require.False(t, r.Final)
	}
}

// A parachain that has left has no head: its absence is proved, and is an error.
func TestAbsentHead(t *testing.T) {
	e := finalitytest.Make()
	set, b := finalitytest.NewValidators(7, 3), &finalitytest.Block{Number: 400, Root: blake2b.Sum256([]byte{0})} // no keys
	e.Relay = &finalitytest.Step{Header: finalitytest.Hex(b.Encode()), Justification: finalitytest.Hex(set.Sign(b))}
	e.Para.ReadProof, e.State = finalitytest.ReadProof{Proof: []string{}}, nil
	r, err := prove(text(t, e), finality.Options{})
	require.ErrorContains(t, err, "para: parachain 2004 has no head in the state of block 400:0x")
	require.False(t, r.Final)
	require.Equal(t, []uint64{5, 6, 7}, r.Sets, "what was proved before")
}

// Each change of one bit of evidence is found, except where it makes another set or another question.
func TestEachBit(t *testing.T) {
	e := finalitytest.Make()
	want := requireFinal(t, e)
	changes := 0
	change := func(what string, bytes *string) {
		original := *bytes
		b, err := hex.DecodeString(original[2:])
		require.NoError(t, err)
		for bit := 0; bit < 8*len(b); bit += tier.Sparse(31, 13) {
			b[bit/8] ^= 1 << (bit % 8)
			*bytes = finalitytest.Hex(b)
			_, err := prove(text(t, e), finality.Options{})
			require.Error(t, err, "%s, bit %d", what, bit)
			b[bit/8] ^= 1 << (bit % 8)
			changes++
		}
		*bytes = original
	}
	for i := range e.Steps {
		change("header", &e.Steps[i].Header)
		change("justification", &e.Steps[i].Justification)
	}
	change("relay header", &e.Relay.Header)
	change("relay justification", &e.Relay.Justification)
	for _, list := range [][]string{e.Relay.Ancestors, e.Para.Ancestors, e.Para.ReadProof.Proof, e.State.ReadProof.Proof} {
		for i := range list {
			change("a list", &list[i])
		}
	}
	change("head's key", &e.Para.Key)
	change("relay block", &e.Para.ReadProof.At)
	t.Log(changes, "changes")
	require.Equal(t, want, requireFinal(t, e))
}
