package app

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/finality"
	"github.com/feeledger/fees/internal/substrate/trie"
)

// ProvedKey is the result of a state proof for a key: no value if the key is absent, Err if the proof does not cover it.
type ProvedKey struct {
	Key   HexBytes
	Value chain.Optional[HexBytes]
	Err   error
}

// CheckStateProof checks a proof of keys against a state root.
func CheckStateProof(text []byte, root chain.Hash, keys [][]byte) (list []ProvedKey, err error) {
	proof, err := trie.ParseProof(string(text))
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		p := ProvedKey{Key: key}
		value, has, err := proof.Value(root, key)
		if p.Err = err; has {
			p.Value = chain.Some(HexBytes(value))
		}
		list = append(list, p)
	}
	return list, nil
}

// FinalityProof is what evidence of finality proves, also if it fails: the links up to there.
type FinalityProof = finality.Result

// FinalityOptions state what is trusted.
type FinalityOptions = finality.Options

// ProveFinality checks evidence of finality.
func ProveFinality(ctx context.Context, text []byte, o FinalityOptions) (r FinalityProof, err error) {
	evidence, err := finality.Parse(string(text))
	if err == nil {
		r, err = evidence.Prove(ctx, o)
	}
	return r, err
}
