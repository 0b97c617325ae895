package desk

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ethtx"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/extrinsic"
	"github.com/feeledger/fees/keys"
	"github.com/feeledger/fees/metadata"
	"github.com/feeledger/fees/wire"
)

// Draft is a transaction before it is signed, with all that its signer needs: it can be signed
// where there is no node.
type Draft struct {
	Chain  string        `json:"chain"` // its name, as the node told it
	Signer chain.Address `json:"signer"`
	Native *NativeDraft  `json:"native,omitempty"`
	EVM    *EVMDraft     `json:"evm,omitempty"`
}

// NativeDraft is a native extrinsic before it is signed.
type NativeDraft struct {
	Call               json.RawMessage `json:"call"`      // with its names, for people
	CallData           HexBytes        `json:"call_data"` // what is signed
	Nonce              chain.Nonce     `json:"nonce"`
	Tip                chain.Wei       `json:"tip"`
	EraPeriod          uint64          `json:"era_period"` // in blocks, 0 for ever
	EraPhase           uint64          `json:"era_phase"`
	Birth              chain.Hash      `json:"birth"` // of the block that the era begins with
	Dies               uint64          `json:"dies"`  // the first block that it cannot be in any more, 0 for ever
	Genesis            chain.Hash      `json:"genesis"`
	SpecVersion        uint32          `json:"spec_version"`
	TransactionVersion uint32          `json:"transaction_version"`
	Metadata           []byte          `json:"metadata_gzip"` // of the runtime: the signer reads by it what is signed
}

// EVMDraft is an EVM transaction before it is signed.
type EVMDraft struct {
	Type                 evm.Type                       `json:"type"`
	ChainID              uint64                         `json:"chain_id"`
	Nonce                chain.Nonce                    `json:"nonce"`
	GasPrice             chain.Optional[chain.GasPrice] `json:"gas_price"`                // of legacy and eip2930
	MaxFeePerGas         chain.Optional[chain.GasPrice] `json:"max_fee_per_gas"`          // of eip1559
	MaxPriorityFeePerGas chain.Optional[chain.GasPrice] `json:"max_priority_fee_per_gas"` // of eip1559
	GasLimit             uint64                         `json:"gas_limit"`
	To                   chain.Optional[chain.Address]  `json:"to"` // null for the creation of a contract
	Value                chain.Wei                      `json:"value"`
	Input                HexBytes                       `json:"input"`
	AccessList           []evm.AccessEntry              `json:"access_list"`
}

// HexBytes are bytes that JSON has as 0x and hex digits.
type HexBytes []byte

// MarshalText writes 0x and hex digits.
func (b HexBytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String is 0x and hex digits.
func (b HexBytes) String() string { return "0x" + hex.EncodeToString(b) }

// UnmarshalText reads them.
func (b *HexBytes) UnmarshalText(text []byte) (err error) {
	digits, found := strings.CutPrefix(string(text), "0x")
	if !found {
		return errors.New("want 0x and hex digits")
	}
	*b, err = hex.DecodeString(digits)
	return err
}

// SignedTransaction is one that can be sent.
type SignedTransaction struct {
	Chain  string        `json:"chain"`
	Layer  string        `json:"layer"` // native or evm
	Signer chain.Address `json:"signer"`
	Hash   chain.Hash    `json:"hash"`
	Dies   uint64        `json:"dies"` // the first block that it cannot be in any more, 0 for ever
	Raw    HexBytes      `json:"raw"`
}

// The layers of a transaction.
const (
	NativeLayer = "native"
	EVMLayer    = "evm"
)

// MostDraft is how many bytes a file of a draft may have.
const MostDraft = 16 << 20

// ParseDraft reads a draft, and checks that it says what is signed.
func ParseDraft(text []byte) (*Draft, error) {
	d := &Draft{}
	if err := parseStrictly(text, d); err != nil {
		return nil, fmt.Errorf("it is no draft of a transaction: %w", err)
	}
	if (d.Native == nil) == (d.EVM == nil) {
		return nil, errors.New("it is no draft of a transaction: want one of native and evm")
	}
	return d, nil
}

// ParseSigned reads a transaction that was signed.
func ParseSigned(text []byte) (*SignedTransaction, error) {
	s := &SignedTransaction{}
	if err := parseStrictly(text, s); err != nil {
		return nil, fmt.Errorf("it is no signed transaction: %w", err)
	}
	return s, nil
}

// parseStrictly reads JSON of known members, none of them twice, and nothing behind it.
func parseStrictly(text []byte, to any) error {
	if _, err := wire.Parse(string(text)); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// runtime is the one that the draft brings along, without the token that amounts are written in.
func (d *NativeDraft) runtime() (*extrinsic.Runtime, error) {
	r, err := gzip.NewReader(bytes.NewReader(d.Metadata))
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, MostDraft+1))
	if err == nil && len(plain) > MostDraft {
		err = fmt.Errorf("they are larger than %d bytes", MostDraft)
	}
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	m, err := metadata.Parse(plain)
	if err != nil {
		return nil, err
	}
	if v, known := m.RuntimeVersion(); !known || v.SpecVersion != d.SpecVersion {
		return nil, fmt.Errorf("the metadata are of runtime %d, and the draft is for %d", v.SpecVersion, d.SpecVersion)
	}
	return extrinsic.NewRuntime(m, extrinsic.Token{})
}

func (d *NativeDraft) signing() *extrinsic.Signing {
	return &extrinsic.Signing{
		Nonce: d.Nonce, Tip: d.Tip, Era: extrinsic.Era{Period: d.EraPeriod, Phase: d.EraPhase}, Birth: d.Birth,
		Genesis: d.Genesis, SpecVersion: d.SpecVersion, TransactionVersion: d.TransactionVersion,
	}
}

// Read is the call that is signed, by the metadata that the draft brings along. It is an error
// where the call that the draft shows is another.
func (d *NativeDraft) Read() (wire.Value, error) {
	_, call, err := d.read()
	return call, err
}

func (d *NativeDraft) read() (*extrinsic.Runtime, wire.Value, error) {
	r, err := d.runtime()
	if err != nil {
		return nil, wire.Value{}, err
	}
	call, err := r.ReadCall(d.CallData)
	if err != nil {
		return nil, wire.Value{}, fmt.Errorf("call data: %w", err)
	}
	shown, err := wire.Parse(string(d.Call))
	var again []byte
	if err == nil {
		again, err = r.CallOf(shown)
	}
	if err != nil || !bytes.Equal(again, d.CallData) {
		return nil, wire.Value{}, errors.New("the draft shows another call than the one that would be signed: build it anew")
	}
	return r, call, nil
}

// transaction is the EVM transaction, not signed.
func (d *EVMDraft) transaction() (*ethtx.Transaction, error) {
	t := &ethtx.Transaction{
		Type: d.Type, ChainID: d.ChainID, Nonce: d.Nonce, GasLimit: chain.NewGas(d.GasLimit), To: d.To, Value: d.Value, Input: d.Input, AccessList: d.AccessList,
	}
	for _, p := range []struct {
		name  string
		has   chain.Optional[chain.GasPrice]
		wants bool
		to    *chain.GasPrice
	}{
		{"gas_price", d.GasPrice, d.Type != evm.EIP1559, &t.GasPrice},
		{"max_fee_per_gas", d.MaxFeePerGas, d.Type == evm.EIP1559, &t.MaxFeePerGas},
		{"max_priority_fee_per_gas", d.MaxPriorityFeePerGas, d.Type == evm.EIP1559, &t.MaxPriorityFeePerGas},
	} {
		price, known := p.has.Get()
		if known && !p.wants {
			return nil, fmt.Errorf("%s: a transaction of type %s has none", p.name, d.Type)
		}
		if !known && p.wants {
			return nil, fmt.Errorf("%s: a transaction of type %s wants it", p.name, d.Type)
		}
		*p.to = price
	}
	if d.Type != evm.Legacy && d.Type != evm.EIP2930 && d.Type != evm.EIP1559 {
		return nil, fmt.Errorf("transactions of type %q are not made here: want legacy, eip2930 or eip1559", d.Type)
	}
	if d.Type == evm.Legacy && len(d.AccessList) > 0 {
		return nil, errors.New("a legacy transaction has no access list")
	}
	return t, nil
}

// ErrOtherKey says that a key is not that of who a draft is for.
var ErrOtherKey = errors.New("the key is another account's")

// Sign signs the draft. The key must be that of its signer.
func (d *Draft) Sign(key *keys.Key) (*SignedTransaction, error) {
	if key.Address() != d.Signer {
		return nil, fmt.Errorf("%w: the draft is for %v, and the key is that of %v", ErrOtherKey, d.Signer, key.Address())
	}
	s := &SignedTransaction{Chain: d.Chain, Signer: d.Signer}
	if d.EVM != nil {
		return s, d.EVM.sign(key, s)
	}
	return s, d.Native.sign(key, s)
}

func (d *EVMDraft) sign(key *keys.Key, s *SignedTransaction) error {
	t, err := d.transaction()
	if err != nil {
		return err
	}
	digest, err := t.Digest()
	if err != nil {
		return err
	}
	signature, err := key.Sign(digest)
	if err != nil {
		return err
	}
	t.Sign(signature)
	s.Layer = EVMLayer
	if s.Raw, err = t.Encode(); err != nil {
		return err
	}
	s.Hash, err = t.Hash()
	return err
}

func (d *NativeDraft) sign(key *keys.Key, s *SignedTransaction) error {
	r, _, err := d.read()
	if err != nil {
		return err
	}
	signing := d.signing()
	payload, err := r.Payload(d.CallData, signing)
	if err != nil {
		return err
	}
	signature, err := key.Sign(extrinsic.Digest(payload))
	if err != nil {
		return err
	}
	s.Layer, s.Dies = NativeLayer, d.Dies
	if s.Raw, err = r.Encode(d.CallData, signing, key.Address(), signature); err != nil {
		return err
	}
	s.Hash = extrinsic.Hash(s.Raw)
	return nil
}
