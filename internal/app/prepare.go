package app

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/tx/ethtx"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/internal/tx/keys"
	"github.com/feeledger/fees/network"
)

// SignQuestion asks what the signature of a draft would be for.
type SignQuestion struct {
	Draft  *Draft
	Tables network.Tables
	Chain  ChainStatement
	// Metadata replace those of the draft: the user vouches for them.
	Metadata []byte
	// TrustDraft accepts the draft's own metadata where nothing vouches for them: whoever made the draft decides what
	// the call is shown as.
	TrustDraft bool
}

// Prepared is a transaction that can be signed. All that it has was read from the bytes that are signed, by facts that
// do not come from the draft.
type Prepared struct {
	Signer chain.Address
	Chain  *KnownChain
	Native *PreparedNative // nil of an EVM transaction
	EVM    *ethtx.Transaction
}

// PreparedNative is a native extrinsic that can be signed.
type PreparedNative struct {
	extrinsic.Payload
	Birth    uint64                 // the height of the block that the era begins with; 0 of an immortal one
	Dies     chain.Optional[uint64] // the first block that it cannot be in any more; not known of an immortal one
	Runtime  metadata.RuntimeVersion
	Metadata MetadataTrust

	runtime *extrinsic.Runtime
	bytes   []byte // the payload
}

// Balances returns the amounts of the chain's own token in the call.
func (n *PreparedNative) Balances() ([]extrinsic.Balance, error) { return n.runtime.Balances(n.Call) }

// MetadataTrust says why the metadata that a call is shown by are those of its chain.
type MetadataTrust string

// The reasons.
const (
	PinnedMetadata     MetadataTrust = "pinned"     // their hash is built in for this runtime
	GivenMetadata      MetadataTrust = "given"      // the user named a file
	BoundMetadata      MetadataTrust = "bound"      // their digest is signed: a chain with other metadata refuses the signature
	UnverifiedMetadata MetadataTrust = "unverified" // nothing: it is the word of the draft
)

// Prepare reads what the signature of a draft would be for. An error is an [InputError].
func Prepare(q SignQuestion) (*Prepared, error) {
	p := &Prepared{Signer: q.Draft.Signer}
	var err error
	if d := q.Draft.EVM; d != nil {
		if p.EVM, err = d.transaction(); err == nil {
			p.Chain, err = q.Chain.ofEVMChain(q.Tables, d.ChainID)
		}
	} else {
		err = q.native(p)
	}
	if err != nil {
		return nil, asInput(err)
	}
	return p, nil
}

func asInput(err error) error {
	var input *InputError
	if errors.As(err, &input) {
		return err
	}
	return notUnderstood("%v", err)
}

func (q *SignQuestion) native(p *Prepared) error {
	d := q.Draft.Native
	var err error
	if p.Chain, err = q.chainOf(d.Genesis); err != nil {
		return err
	}
	text := q.Metadata
	if text == nil {
		if text, err = d.metadata(); err != nil {
			return err
		}
	}
	m, err := metadata.Parse(text)
	if err != nil {
		return err
	}
	n := &PreparedNative{}
	if n.Runtime, err = d.checkRuntime(m); err != nil {
		return err
	}
	if n.runtime, err = extrinsic.NewRuntime(m, p.Chain.Token); err != nil {
		return err
	}
	signing, err := d.signing(n)
	if err != nil {
		return err
	}
	signing.MetadataHash, signing.BindsMetadata = p.Chain.digest(m, n.Runtime)
	if n.bytes, err = n.runtime.Payload(d.CallData, signing); err != nil {
		return err
	}
	read, err := n.runtime.ReadPayload(n.bytes)
	if err != nil {
		return fmt.Errorf("what would be signed cannot be read by the metadata: %w", err)
	}
	if !bytes.Equal(read.Data, d.CallData) || read.Signing != *signing {
		return notUnderstood("What would be signed is not what the draft has: the metadata lack an extension, such as CheckGenesis or CheckNonce. " +
			"Give the metadata of the chain's runtime with --metadata FILE.")
	}
	n.Payload = *read
	n.Metadata, err = q.trust(p.Chain, n, m.Version, blake2b.Sum256(text))
	p.Native = n
	return err
}

// chainOf is the chain with the genesis hash. One that no table names has to be stated.
func (q *SignQuestion) chainOf(genesis chain.Hash) (*KnownChain, error) {
	c, err := q.Chain.ofGenesis(q.Tables, genesis)
	if err == nil && q.Tables.OfGenesis(genesis) == nil && !q.Chain.Genesis.Known() {
		return nil, notUnderstood("The draft is for the chain with the genesis hash %v, which no table names. "+
			"If it is that of your chain, by another source than the draft, add --genesis %[1]v.", genesis)
	}
	return c, err
}

// checkRuntime compares the versions that are signed with those that the metadata name.
func (d *NativeDraft) checkRuntime(m *metadata.Metadata) (metadata.RuntimeVersion, error) {
	v, known := m.RuntimeVersion()
	switch {
	case !known:
		return v, notUnderstood("The metadata do not name their runtime (System.Version). Give those of the chain's runtime with --metadata FILE.")
	case v.SpecVersion != d.SpecVersion:
		return v, notUnderstood("The metadata are of runtime %d, and the draft is for %d. Build the draft again, or give the right metadata.", v.SpecVersion, d.SpecVersion)
	case v.TransactionVersion != d.TransactionVersion:
		return v, notUnderstood("The metadata are of transaction version %d, and the draft is for %d. Build the draft again, or give the right metadata.",
			v.TransactionVersion, d.TransactionVersion)
	}
	return v, nil
}

// signing is what is signed beside the call. Birth and end of the era follow from the header whose hash is signed.
func (d *NativeDraft) signing(n *PreparedNative) (*extrinsic.Signing, error) {
	s := &extrinsic.Signing{
		Nonce: d.Nonce, Tip: d.Tip, Era: extrinsic.Era{Period: d.EraPeriod, Phase: d.EraPhase}, Birth: d.Genesis,
		Genesis: d.Genesis, SpecVersion: d.SpecVersion, TransactionVersion: d.TransactionVersion,
	}
	if s.Era.Immortal() {
		if d.EraPhase != 0 || len(d.BirthHeader) > 0 {
			return nil, notUnderstood("The draft has an era without a period. Build it again.")
		}
		return s, nil
	}
	birth, err := header.Read(d.BirthHeader)
	if err != nil {
		return nil, fmt.Errorf("birth_header: %w", err)
	}
	if era, err := extrinsic.NewEra(s.Era.Period, birth.Number); err != nil || era != s.Era || era.Birth(birth.Number) != birth.Number {
		return nil, notUnderstood("An era of %d blocks with the phase %d does not begin with block %d. Build the draft again.", d.EraPeriod, d.EraPhase, birth.Number)
	}
	s.Birth, n.Birth, n.Dies = birth.Hash(), birth.Number, chain.Some(birth.Number+s.Era.Period)
	return s, nil
}

// digest is the hash of the metadata that the chain compares (RFC-0078), where the table says that its runtime does so.
func (c *KnownChain) digest(m *metadata.Metadata, v metadata.RuntimeVersion) (hash chain.Hash, compared bool) {
	if !c.comparesMetadata(v.SpecVersion) {
		return hash, false
	}
	hash, err := m.Digest(c.Token.Symbol, uint8(c.Token.Decimals))
	return hash, err == nil
}

func (c *KnownChain) comparesMetadata(specVersion uint32) bool {
	return c.table != nil && c.table.FirstMetadataHash > 0 && specVersion >= c.table.FirstMetadataHash
}

// trust says why the metadata are those of the chain.
//
// A digest that is signed counts at the very end of the payload alone: there the chain's own metadata have it, whatever
// extensions the draft's metadata claim.
func (q *SignQuestion) trust(c *KnownChain, n *PreparedNative, version uint8, hash chain.Hash) (MetadataTrust, error) {
	if c.table != nil {
		if !c.table.IsSpecName(n.Runtime.SpecName) {
			return "", notUnderstood("The metadata are of a runtime of another chain than %s. Give those of the chain's runtime with --metadata FILE.", c.Name)
		}
		switch network.PinOf(n.Runtime.SpecName, n.Runtime.SpecVersion, version, hash) {
		case network.Pinned:
			return PinnedMetadata, nil
		case network.PinMismatch:
			return "", notUnderstood("The metadata are not those of %s %d: their hash is %v. Do not sign this draft; build it with a node that you trust.",
				c.Name, n.Runtime.SpecVersion, hash)
		}
	}
	end := append([]byte{1}, n.MetadataHash[:]...)
	switch {
	case q.Metadata != nil:
		return GivenMetadata, nil
	case n.BindsMetadata && bytes.HasSuffix(n.bytes, end):
		return BoundMetadata, nil
	case q.TrustDraft:
		return UnverifiedMetadata, nil
	}
	return "", notUnderstood("Nothing vouches for the draft's metadata, which decide what the call is shown as. " +
		"Give metadata that you trust with --metadata FILE, or take the draft's word with --trust-draft-metadata.")
}

// ErrOtherKey says that a key is not that of a draft's signer.
var ErrOtherKey = errors.New("the key is another account's")

// Sign signs the transaction. The key must be that of its signer.
func (p *Prepared) Sign(key *keys.Key) (*SignedTransaction, error) {
	if key.Address() != p.Signer {
		return nil, fmt.Errorf("%w: the draft is for %v, and the key is that of %v", ErrOtherKey, p.Signer, key.Address())
	}
	if p.EVM != nil {
		return signEVM(*p.EVM, key)
	}
	return p.Native.sign(key)
}

func signEVM(t ethtx.Transaction, key *keys.Key) (*SignedTransaction, error) {
	digest, err := t.Digest()
	if err != nil {
		return nil, err
	}
	signature, err := key.Sign(digest)
	if err != nil {
		return nil, err
	}
	t.Sign(signature)
	s := &SignedTransaction{Layer: EVMLayer, Signer: key.Address()}
	if s.Raw, err = t.Encode(); err == nil {
		s.Hash, err = t.Hash()
	}
	return s, err
}

func (n *PreparedNative) sign(key *keys.Key) (*SignedTransaction, error) {
	signature, err := key.Sign(extrinsic.Digest(n.bytes))
	if err != nil {
		return nil, err
	}
	s := &SignedTransaction{Layer: NativeLayer, Signer: key.Address(), Genesis: chain.Some(n.Genesis), Dies: n.Dies}
	s.Raw, err = n.runtime.Encode(n.Data, &n.Signing, key.Address(), signature)
	s.Hash = extrinsic.Hash(s.Raw)
	return s, err
}
