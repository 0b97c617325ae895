package extrinsic_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx/recovery"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/test/devkeys"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// recorded is a chain with its node's responses.
type recorded struct {
	t       *testing.T
	dir     string
	runtime *extrinsic.Runtime
	genesis chain.Hash
	// of the runtime
	spec, transaction uint32
	hashes            []chain.Hash // by height
}

func eachRecorded(t *testing.T, test func(t *testing.T, r *recorded)) {
	for _, name := range append([]string{"vflow-2000"}, pairs.RealRuntimes...) {
		t.Run(name, func(t *testing.T) { test(t, open(t, name)) })
	}
}

func open(t *testing.T, name string) *recorded {
	r := &recorded{t: t, dir: pairs.Path(t, name, "node")}
	text, err := os.ReadFile(filepath.Join(r.dir, "metadata.hex"))
	require.NoError(t, err)
	m, err := metadata.Parse(unhex(t, strings.TrimSpace(string(text))))
	require.NoError(t, err)
	r.runtime, err = extrinsic.NewRuntime(m, extrinsic.Token{Symbol: "GLMR", Decimals: 18})
	require.NoError(t, err)
	var heights []struct{ Hash, Parent string }
	r.read("heights", &heights)
	for _, h := range heights {
		r.hashes = append(r.hashes, hash(t, h.Hash))
	}
	// The simulated node used this hash as its genesis while the transactions were made.
	r.genesis = hash(t, heights[0].Parent)
	var versions map[string]struct {
		Result struct{ SpecVersion, TransactionVersion uint32 }
	}
	r.read("state_getRuntimeVersion", &versions)
	for _, v := range versions {
		r.spec, r.transaction = v.Result.SpecVersion, v.Result.TransactionVersion
	}
	return r
}

func (r *recorded) read(name string, to any) {
	text, err := os.ReadFile(filepath.Join(r.dir, name+".json"))
	require.NoError(r.t, err)
	require.NoError(r.t, json.Unmarshal(text, to))
}

type block struct {
	Number     uint64
	Parent     chain.Hash
	Extrinsics [][]byte
}

// blocks returns those of the chain, in order.
func (r *recorded) blocks() (list []block) {
	var answers map[string]struct {
		Result struct {
			Block struct {
				Header     struct{ ParentHash, Number string }
				Extrinsics []string
			}
		}
	}
	r.read("chain_getBlock", &answers)
	for height, h := range r.hashes {
		a, there := answers[`["`+h.String()+`"]`]
		if !there {
			continue
		}
		b := block{Number: uint64(height)}
		if height > 0 {
			b.Parent = hash(r.t, a.Result.Block.Header.ParentHash)
		}
		for _, x := range a.Result.Block.Extrinsics {
			b.Extrinsics = append(b.Extrinsics, unhex(r.t, x))
		}
		list = append(list, b)
	}
	require.Greater(r.t, len(list), 20)
	return list
}

func unhex(t testing.TB, text string) []byte {
	bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	require.NoError(t, err)
	return bytes
}

func hash(t testing.TB, text string) chain.Hash {
	h, err := chain.ParseHash(text)
	require.NoError(t, err)
	return h
}

// signing returns the data signed with the call of a recorded extrinsic of a block.
func (r *recorded) signing(x *extrinsic.Extrinsic, height uint64) *extrinsic.Signing {
	s := &extrinsic.Signing{Nonce: x.Nonce, Tip: x.Tip, Era: x.Era, Birth: r.genesis, Genesis: r.genesis, SpecVersion: r.spec, TransactionVersion: r.transaction}
	if !x.Era.Immortal() {
		s.Birth = r.hashes[x.Era.Birth(height)]
	}
	return s
}

// requireReadBack decodes a payload, and the same with the metadata's hash if the runtime supports it. Every
// variant with missing or additional bytes is an error.
func requireReadBack(t *testing.T, runtime *extrinsic.Runtime, payload, call []byte, s *extrinsic.Signing) {
	read, err := runtime.ReadPayload(payload)
	require.NoError(t, err)
	require.Equal(t, call, read.Data)
	require.Equal(t, *s, read.Signing)
	_, err = runtime.ReadPayload(payload[:len(payload)-1])
	require.Error(t, err)
	_, err = runtime.ReadPayload(append(bytes.Clone(payload), 0))
	require.Error(t, err)
	if !slices.ContainsFunc(runtime.Metadata().Extrinsic.Extensions, func(e metadata.Extension) bool { return e.Name == "CheckMetadataHash" }) {
		return
	}
	bound := *s
	bound.BindsMetadata, bound.MetadataHash = true, chain.Hash{1, 2, 3}
	longer, err := runtime.Payload(call, &bound)
	require.NoError(t, err)
	// RFC-0078: the mode is 1 instead of 0, and the hash follows at the end, as an Option that has a value.
	require.Equal(t, append([]byte{1}, bound.MetadataHash[:]...), longer[len(longer)-33:])
	require.Len(t, longer, len(payload)+32)
	read, err = runtime.ReadPayload(longer)
	require.NoError(t, err)
	require.Equal(t, bound, read.Signing)
}

// TestRecordedExtrinsics decodes every recorded extrinsic, and rebuilds it: the call from its decoded
// arguments, the payload, the signature with the key of the account that had signed, and the whole, byte for
// byte.
func TestRecordedExtrinsics(t *testing.T) {
	total, signed := 0, 0
	calls := map[string]int{}
	eachRecorded(t, func(t *testing.T, r *recorded) {
		developers := devkeys.All(t)
		for _, b := range r.blocks() {
			for i, encoded := range b.Extrinsics {
				x, err := r.runtime.Read(encoded)
				require.NoError(t, err, "block %d, extrinsic %d", b.Number, i)
				call, err := r.runtime.CallOf(x.Call)
				require.NoError(t, err, "block %d, extrinsic %d", b.Number, i)
				require.Equal(t, x.Data, call)
				total++
				pallet, _ := x.Call.Member("method").Member("pallet").Text()
				name, _ := x.Call.Member("method").Member("method").Text()
				calls[pallet+"."+name]++

				// The same with arguments as users write them.
				again, err := r.runtime.Call(pallet+"."+name, arguments(x.Call.Member("args")))
				require.NoError(t, err, "block %d, extrinsic %d", b.Number, i)
				require.Equal(t, x.Data, again)

				if !x.Signed {
					require.Equal(t, encoded, extrinsic.EncodeUnsigned(call))
					continue
				}
				signed++
				s := r.signing(x, b.Number)
				payload, err := r.runtime.Payload(call, s)
				require.NoError(t, err)
				requireReadBack(t, r.runtime, payload, call, s)
				signer, err := recovery.Signer(extrinsic.Digest(payload), x.Signature)
				require.NoError(t, err)
				require.Equal(t, x.Signer, signer, "block %d, extrinsic %d", b.Number, i)
				require.Contains(t, developers, signer)
				signature, err := developers[signer].Sign(extrinsic.Digest(payload))
				require.NoError(t, err)
				_, err = r.runtime.Encode(call, s, chain.Address32([32]byte{}), signature)
				require.ErrorContains(t, err, "has 32 bytes, and accounts of this runtime have 20")
				whole, err := r.runtime.Encode(call, s, signer, signature)
				require.NoError(t, err)
				require.Equal(t, hex.EncodeToString(encoded), hex.EncodeToString(whole))
				require.Equal(t, extrinsic.Hash(encoded), x.Hash)
			}
		}
	})
	require.Positive(t, total)
	t.Logf("%d extrinsics decoded and made again, %d of them signed, of %d calls", total, signed, len(calls))
}

// arguments returns a call's arguments as users write them: bare texts, and JSON for the others.
func arguments(args jsonscan.Value) (list []string) {
	for _, v := range args.Members() {
		if text, is := v.Text(); is {
			list = append(list, text)
		} else {
			list = append(list, v.Raw())
		}
	}
	return list
}

// TestRecordedEstimates compares the runtime's fee estimate at the parent of each recorded extrinsic with the
// charge. They are equal, unless the fee was waived, or weight was given back: then the weight in the
// extrinsic's event is below the estimate.
func TestRecordedEstimates(t *testing.T) {
	compared, exact, back, waived := 0, 0, 0, 0
	eachRecorded(t, func(t *testing.T, r *recorded) {
		charges := r.charges()
		var answers map[string]struct{ Result *string }
		r.read("state_call", &answers)
		overhead := map[string]uint64{} // by class: weight in the event next to the estimate, of those that are equal
		given := map[string][]uint64{}  // the same, of those that are not
		for _, b := range r.blocks() {
			for i, encoded := range b.Extrinsics {
				x, err := r.runtime.Read(encoded)
				require.NoError(t, err)
				key := `["` + extrinsic.QueryInfo + `","0x` + hex.EncodeToString(extrinsic.QueryInfoArguments(encoded)) + `","` + b.Parent.String() + `"]`
				a, asked := answers[key]
				if !x.Signed || !asked || a.Result == nil {
					continue
				}
				cost, err := r.runtime.ReadCost(unhex(t, *a.Result))
				require.NoError(t, err)
				estimate, err := cost.Fee.Add(x.Tip)
				require.NoError(t, err)
				charged, known := charges[x.Hash]
				require.True(t, known, "block %d, extrinsic %d", b.Number, i)
				compared++
				beside := charged.refTime.Uint64() - cost.Weight.RefTime.Uint64() // may wrap: it is compared
				switch {
				case estimate == charged.fee:
					exact++
					if usual, known := overhead[cost.Class]; known {
						require.Equal(t, usual, beside, "the weight of an extrinsic of class %s beside its call", cost.Class)
					}
					overhead[cost.Class] = beside
				case charged.waived && charged.fee == x.Tip:
					waived++
				default:
					require.Negative(t, charged.fee.Cmp(estimate), "block %d, extrinsic %d: %v was estimated, %v charged", b.Number, i, estimate, charged.fee)
					back++
					given[cost.Class] = append(given[cost.Class], beside)
				}
			}
		}
		for class, list := range given {
			for _, beside := range list {
				require.Contains(t, overhead, class)
				require.Negative(t, int64(beside-overhead[class]), "nothing was given back, and the fee is less")
			}
		}
	})
	require.Positive(t, compared)
	require.Equal(t, compared, exact+waived+back)
	t.Logf("%d estimates: %d exact, %d of fees that were waived, %d above the fee because weight was given back", compared, exact, waived, back)
}

type charge struct {
	fee     chain.Wei
	waived  bool
	refTime chain.RefTime
}

// charges returns the fees that native extrinsics paid, by hash: the amount that the sending accounts lost
// besides what they sent, as recorded.
func (r *recorded) charges() map[chain.Hash]charge {
	paid := map[chain.Hash]chain.Wei{}
	rows := map[string]string{} // height-index
	gateway := filepath.Join(r.dir, "../gateway")
	if text, err := os.ReadFile(filepath.Join(gateway, "charged.csv")); err == nil {
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		names := strings.Split(lines[0], ",")
		for _, line := range lines[1:] {
			cells := strings.Split(line, ",")
			rows[cells[0]+"-"+cells[1]] = cells[slices.Index(names, "charged")]
		}
	} else {
		text, err := os.ReadFile(filepath.Join(gateway, "sent.json"))
		require.NoError(r.t, err)
		var sent struct {
			Sent []struct {
				XtHash  string
				Charged string `json:"charged_wei"`
			}
		}
		require.NoError(r.t, json.Unmarshal(text, &sent))
		for _, s := range sent.Sent {
			if s.Charged == "" { // it was not taken into a block
				continue
			}
			paid[hash(r.t, s.XtHash)], err = chain.ParseWei(s.Charged)
			require.NoError(r.t, err)
		}
	}
	list := map[chain.Hash]charge{}
	files, err := filepath.Glob(filepath.Join(gateway, "blocks/*.json"))
	require.NoError(r.t, err)
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(r.t, err)
		v, err := jsonscan.Parse(string(text))
		require.NoError(r.t, err)
		height, _ := v.Member("number").Text()
		i := -1
		for x := range v.Member("extrinsics").Elements() {
			i++
			hash, err := jsonread.Hash(x.Member("hash"))
			require.NoError(r.t, err)
			fee, known := paid[hash]
			if digits := rows[height+"-"+strconv.Itoa(i)]; digits != "" {
				fee, err = chain.ParseWei(digits)
				require.NoError(r.t, err)
				known = true
			}
			if !known {
				continue
			}
			c := charge{fee: fee}
			for e := range x.Member("events").Elements() {
				name, _ := e.Member("method").Member("method").Text()
				info := e.Member("data").Index(map[string]int{"ExtrinsicSuccess": 0, "ExtrinsicFailed": 1}[name])
				if name == "ExtrinsicSuccess" || name == "ExtrinsicFailed" {
					weight, err := jsonread.Weight(info.Member("weight"))
					require.NoError(r.t, err)
					pays, _ := info.Member("paysFee").Text()
					c.refTime, c.waived = weight.RefTime, pays == "No"
				}
			}
			list[hash] = c
		}
	}
	return list
}
