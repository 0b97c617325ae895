package nodetest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/ethtx/recovery"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/test/rpcserver"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// Pool is a node's transaction pool: it accepts the transactions that the runtime would, by signature, nonce
// and era.
type Pool struct {
	node    *Node
	runtime *extrinsic.Runtime
	genesis chain.Hash
	version struct{ SpecVersion, TransactionVersion uint32 }
	chainID uint64

	guard sync.Mutex
	next  map[chain.Address]uint64 // nonces
	Taken [][]byte                 // the accepted transactions, in order
}

// OpenPool gives the node a pool. The genesis is the one that transactions are signed for: the simulated node
// of the recordings used a different hash than its block 0's.
func (n *Node) OpenPool(genesis chain.Hash, chainID uint64) (*Pool, error) {
	var text string
	if err := json.Unmarshal(n.metadata, &text); err != nil {
		return nil, err
	}
	bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return nil, err
	}
	m, err := metadata.Parse(bytes)
	if err != nil {
		return nil, err
	}
	p := &Pool{node: n, genesis: genesis, chainID: chainID, next: map[chain.Address]uint64{}}
	if p.runtime, err = extrinsic.NewRuntime(m, extrinsic.Token{}); err != nil {
		return nil, err
	}
	for _, r := range n.recorded["state_getRuntimeVersion"] {
		if err := json.Unmarshal(r.Result, &p.version); err != nil {
			return nil, err
		}
	}
	n.Methods = map[string]rpcserver.Method{
		"chain_getBlockHash":      p.blockHash,
		"system_accountNextIndex": p.nextIndex(func(n uint64) string { return strconv.FormatUint(n, 10) }),
		"eth_getTransactionCount": p.nextIndex(func(n uint64) string { return strconv.Quote("0x" + strconv.FormatUint(n, 16)) }),
		"eth_chainId":             func([]json.RawMessage) ([]byte, error) { return fmt.Appendf(nil, `"0x%x"`, chainID), nil },
		"eth_estimateGas":         func([]json.RawMessage) ([]byte, error) { return []byte(`"0x5208"`), nil },
		"state_call":              p.stateCall,
		"author_submitExtrinsic":  p.submit,
		"eth_sendRawTransaction":  p.sendRaw,
	}
	return p, nil
}

func (p *Pool) blockHash(params []json.RawMessage) ([]byte, error) {
	if len(params) == 1 && string(params[0]) == "[0]" {
		return []byte(`["` + p.genesis.String() + `"]`), nil
	}
	result, failure := p.node.result("chain_getBlockHash", params, p.node.now())
	if failure != nil {
		return nil, rpcserver.Refused(failure)
	}
	return result, nil
}

// SetNonce sets the nonce of an account's next transaction.
func (p *Pool) SetNonce(account chain.Address, next uint64) {
	p.guard.Lock()
	defer p.guard.Unlock()
	p.next[account] = next
}

// Nonces returns those of the accounts that have any.
func (p *Pool) Nonces() map[chain.Address]uint64 {
	p.guard.Lock()
	defer p.guard.Unlock()
	return maps.Clone(p.next)
}

func (p *Pool) nextIndex(written func(uint64) string) rpcserver.Method {
	return func(params []json.RawMessage) ([]byte, error) {
		var account chain.Address
		if len(params) == 0 || json.Unmarshal(params[0], &account) != nil {
			return nil, rpcserver.InvalidParams
		}
		p.guard.Lock()
		defer p.guard.Unlock()
		return []byte(written(p.next[account])), nil
	}
}

// invalid returns a node's error for a transaction that the runtime rejects.
func invalid(why string) error {
	return &rpcserver.Error{Code: 1010, Message: "Invalid Transaction: " + why}
}

func rawOf(params []json.RawMessage) ([]byte, error) {
	var text string
	if len(params) != 1 || json.Unmarshal(params[0], &text) != nil {
		return nil, rpcserver.InvalidParams
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return nil, rpcserver.InvalidParams
	}
	return raw, nil
}

// submit accepts a native extrinsic.
func (p *Pool) submit(params []json.RawMessage) ([]byte, error) {
	raw, err := rawOf(params)
	if err != nil {
		return nil, err
	}
	x, err := p.runtime.Read(raw)
	if err != nil {
		return nil, invalid("could not decode: " + err.Error())
	}
	head := uint64(p.node.now().best)
	birth := p.genesis
	if !x.Era.Immortal() {
		at := x.Era.Birth(head)
		if at >= uint64(len(p.node.hashes)) {
			return nil, invalid("Transaction has an ancient birth block")
		}
		if birth, err = chain.ParseHash(p.node.hashes[at]); err != nil {
			return nil, err
		}
	}
	payload, err := p.runtime.Payload(x.Data, &extrinsic.Signing{
		Nonce: x.Nonce, Tip: x.Tip, Era: x.Era, Birth: birth, Genesis: p.genesis, SpecVersion: p.version.SpecVersion, TransactionVersion: p.version.TransactionVersion,
	})
	if err != nil {
		return nil, err
	}
	if signer, err := recovery.Signer(extrinsic.Digest(payload), x.Signature); !x.Signed || err != nil || signer != x.Signer {
		return nil, invalid("Transaction has a bad signature")
	}
	return p.take(raw, x.Signer, x.Nonce.Uint64(), x.Hash)
}

// sendRaw accepts an EVM transaction.
func (p *Pool) sendRaw(params []json.RawMessage) ([]byte, error) {
	raw, err := rawOf(params)
	if err != nil {
		return nil, err
	}
	t, err := ethtx.Parse(raw)
	if err != nil {
		return nil, invalid("could not decode: " + err.Error())
	}
	if t.ChainID != p.chainID && (t.ChainID != 0 || t.Type != chain.Legacy) {
		return nil, invalid("invalid chain id")
	}
	signer, err := t.Sender()
	if err != nil {
		return nil, invalid("Transaction has a bad signature")
	}
	hash, err := t.Hash()
	if err != nil {
		return nil, err
	}
	return p.take(raw, signer, t.Nonce.Uint64(), hash)
}

func (p *Pool) take(raw []byte, signer chain.Address, nonce uint64, hash chain.Hash) ([]byte, error) {
	p.guard.Lock()
	defer p.guard.Unlock()
	if nonce < p.next[signer] {
		return nil, invalid("Transaction is outdated")
	}
	if nonce == p.next[signer] {
		p.next[signer]++
	}
	p.Taken = append(p.Taken, raw)
	return []byte(strconv.Quote(hash.String())), nil
}

// stateCall returns the recorded fee estimate of the extrinsic with the same call and signer at that block: it
// does not depend on the signature.
func (p *Pool) stateCall(params []json.RawMessage) ([]byte, error) {
	if len(params) != 3 {
		return nil, rpcserver.InvalidParams
	}
	asked, err := p.weighed(params[1])
	if err != nil {
		return nil, err
	}
	for key, r := range p.node.recorded["state_call"] {
		var recorded []json.RawMessage
		if json.Unmarshal([]byte(key), &recorded) != nil || len(recorded) != 3 || string(recorded[0]) != string(params[0]) || string(recorded[2]) != string(params[2]) {
			continue
		}
		if x, err := p.weighed(recorded[1]); err == nil && x.Signer == asked.Signer && string(x.Data) == string(asked.Data) && x.Tip == asked.Tip {
			return r.Result, nil
		}
	}
	return nil, &rpcserver.Error{Code: -32099, Message: "not recorded"}
}

// weighed returns the extrinsic in the arguments of a fee estimate; its length follows.
func (p *Pool) weighed(param json.RawMessage) (*extrinsic.Extrinsic, error) {
	raw, err := rawOf([]json.RawMessage{param})
	if err != nil || len(raw) < 4 {
		return nil, rpcserver.InvalidParams
	}
	return p.runtime.Read(raw[:len(raw)-4])
}
