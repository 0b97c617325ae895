package app

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ethtx"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/tx/extrinsic"
	"github.com/feeledger/fees/internal/tx/keys"
	"github.com/feeledger/fees/network"
)

// SignRequest requests a summary of what signing a draft would authorize.
type SignRequest struct {
	Draft  *Draft
	Tables network.Tables
	Chain  ChainStatement
	// Metadata replace the draft's metadata; the user vouches for them.
	Metadata []byte
	// TrustDraft accepts the draft's own metadata even if nothing confirms them. The draft's author then controls how
	// the call is displayed.
	TrustDraft bool
}

// Prepared is a transaction ready to be signed. Everything in it was read from the bytes to sign, using facts that do
// not come from the draft.
type Prepared struct {
	Signer chain.Address
	Chain  *KnownChain
	Native *PreparedNative // nil for an EVM transaction
	EVM    *ethtx.Transaction
}

// PreparedNative is a native extrinsic ready to be signed.
type PreparedNative struct {
	extrinsic.Payload
	Birth    uint64                 // the height of the era's first block; 0 for an immortal extrinsic
	Dies     chain.Optional[uint64] // the first block after the era; unknown for an immortal extrinsic
	Runtime  metadata.RuntimeVersion
	Metadata MetadataTrust

	runtime *extrinsic.Runtime
	bytes   []byte // the payload
}

// Balances returns the amounts of the chain's own token in the call.
func (n *PreparedNative) Balances() ([]extrinsic.Balance, error) { return n.runtime.Balances(n.Call) }

// MetadataTrust states why the metadata used to display a call are accepted as those of its chain.
type MetadataTrust string

// The levels of trust.
const (
	PinnedMetadata     MetadataTrust = "pinned"     // their hash is built in for this runtime
	GivenMetadata      MetadataTrust = "given"      // the user named a file
	BoundMetadata      MetadataTrust = "bound"      // their digest is signed: the chain rejects the signature if its metadata differ
	UnverifiedMetadata MetadataTrust = "unverified" // nothing confirms them
)

// Prepare reads what signing a draft would authorize. Errors are of type [InputError].
func Prepare(q SignRequest) (*Prepared, error) {
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

func (q *SignRequest) native(p *Prepared) error {
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
		return fmt.Errorf("the metadata cannot decode the bytes to sign: %w", err)
	}
	if !bytes.Equal(read.Data, d.CallData) || read.Signing != *signing {
		return notUnderstood("The bytes to sign differ from the draft because the metadata lack an extension such as CheckGenesis or CheckNonce. " +
			"Supply the metadata of the chain's runtime with --metadata FILE.")
	}
	n.Payload = *read
	n.Metadata, err = q.trust(p.Chain, n, m.Version, blake2b.Sum256(text))
	p.Native = n
	return err
}

// chainOf finds the chain by its genesis hash. If no table contains it, the user has to state it.
func (q *SignRequest) chainOf(genesis chain.Hash) (*KnownChain, error) {
	c, err := q.Chain.ofGenesis(q.Tables, genesis)
	if err == nil && q.Tables.OfGenesis(genesis) == nil && !q.Chain.Genesis.Known() {
		return nil, notUnderstood("The draft is for the chain with the genesis hash %v, which is in no table. "+
			"If a source other than the draft confirms it, add --genesis %[1]v.", genesis)
	}
	return c, err
}

// checkRuntime compares the versions to sign with those in the metadata.
func (d *NativeDraft) checkRuntime(m *metadata.Metadata) (metadata.RuntimeVersion, error) {
	v, known := m.RuntimeVersion()
	switch {
	case !known:
		return v, notUnderstood("The metadata lack the runtime version (System.Version). Supply those of the chain's runtime with --metadata FILE.")
	case v.SpecVersion != d.SpecVersion:
		return v, notUnderstood("The metadata are for runtime %d, but the draft is for %d. Build the draft again, or supply the right metadata.", v.SpecVersion, d.SpecVersion)
	case v.TransactionVersion != d.TransactionVersion:
		return v, notUnderstood("The metadata are for transaction version %d, but the draft is for %d. Build the draft again, or supply the right metadata.",
			v.TransactionVersion, d.TransactionVersion)
	}
	return v, nil
}

// signing returns what is signed besides the call. The era's birth and end come from the header whose hash is signed.
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

// digest returns the metadata hash that the chain compares (RFC-0078), if the table says that its runtime does.
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

// trust returns why the metadata are accepted as the chain's.
//
// A signed digest counts only at the very end of the payload: the chain's own metadata put it there, whatever
// extensions the draft's metadata claim.
func (q *SignRequest) trust(c *KnownChain, n *PreparedNative, version uint8, hash chain.Hash) (MetadataTrust, error) {
	if c.table != nil {
		if !c.table.IsSpecName(n.Runtime.SpecName) {
			return "", notUnderstood("The metadata belong to another chain than %s. Supply those of the chain's runtime with --metadata FILE.", c.Name)
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
	return "", notUnderstood("Nothing confirms the draft's metadata, which determine how the call is displayed. " +
		"Supply metadata that you trust with --metadata FILE, or add --trust-draft-metadata.")
}

// ErrOtherKey reports that a key does not belong to the draft's signer.
var ErrOtherKey = errors.New("the key belongs to another account")

// Sign signs the transaction with the signer's key.
func (p *Prepared) Sign(key *keys.Key) (*SignedTransaction, error) {
	if key.Address() != p.Signer {
		return nil, fmt.Errorf("%w: the draft's signer is %v, the key's account %v", ErrOtherKey, p.Signer, key.Address())
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
