package extrinsic

import (
	"bytes"
	"fmt"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/sha3"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Signing is what is signed beside a call.
type Signing struct {
	Nonce chain.Nonce
	Tip   chain.Wei // on top of the fee
	Era   Era
	Birth chain.Hash // of the block that the era begins with, the genesis where it has no end
	// What the chain must be at the time: another one's blocks, and those of a later runtime, do
	// not take the extrinsic.
	Genesis            chain.Hash
	SpecVersion        uint32
	TransactionVersion uint32
	// BindsMetadata says that MetadataHash is signed too ([metadata.Metadata.Digest]): a chain whose metadata
	// have another hash refuses the extrinsic. The runtime must have the extension CheckMetadataHash.
	BindsMetadata bool
	MetadataHash  chain.Hash
}

// SignatureLength is how many bytes a signature has: r, s, and which of the two points is meant.
const SignatureLength = 65

// Signature is an account's, ECDSA on secp256k1.
type Signature [SignatureLength]byte

// Payload is what the signer of a call signs: call, extensions, and what is signed with them.
func (r *Runtime) Payload(call []byte, s *Signing) ([]byte, error) {
	inside, err := r.inside(s)
	if err != nil {
		return nil, err
	}
	payload := append(bytes.Clone(call), inside...)
	for _, e := range r.metadata.Extrinsic.Extensions {
		if payload, err = r.extend(payload, e.Name, e.Signed, extensionNamed(e.Name).signed, s); err != nil {
			return nil, err
		}
	}
	return payload, nil
}

// Payload is what a signer signed, read from its bytes.
type Payload struct {
	Data []byte         // the call, encoded
	Call jsonscan.Value // {"method": {"pallet", "method"}, "args"}
	Signing
}

// ReadPayload reads a payload to its end, as [Runtime.Payload] makes it.
func (r *Runtime) ReadPayload(payload []byte) (*Payload, error) {
	reader := scale.NewReader(payload)
	w := &scalejson.Writer{Reader: reader}
	r.writeCall(w)
	if err := w.Err(); err != nil {
		return nil, err
	}
	p := &Payload{Data: reader.Since(0)}
	var err error
	if p.Call, err = jsonscan.Parse(string(w.Text)); err != nil {
		return nil, err
	}
	if err := r.readExtensions(reader, p.take, func(e metadata.Extension) metadata.TypeID { return e.Type }); err != nil {
		return nil, err
	}
	if err := r.readExtensions(reader, p.takeSigned, func(e metadata.Extension) metadata.TypeID { return e.Signed }); err != nil {
		return nil, err
	}
	return p, reader.End()
}

// readExtensions reads a value of each extension.
func (r *Runtime) readExtensions(reader *scale.Reader, take func(string, jsonscan.Value) error, of func(metadata.Extension) metadata.TypeID) error {
	for _, e := range r.metadata.Extrinsic.Extensions {
		w := &scalejson.Writer{Reader: reader}
		r.codec.Value(w, of(e))
		err := w.Err()
		if err == nil {
			var v jsonscan.Value
			if v, err = jsonscan.Parse(string(w.Text)); err == nil {
				err = take(e.Name, v)
			}
		}
		if err != nil {
			return fmt.Errorf("extension %s: %w", e.Name, err)
		}
	}
	return nil
}

// take notes what an extension has in the extrinsic.
func (s *Signing) take(name string, v jsonscan.Value) (err error) {
	switch name {
	case "CheckNonce":
		s.Nonce, err = chain.Read[chain.Nonce](v)
	case "ChargeTransactionPayment":
		s.Tip, err = chain.Read[chain.Wei](v)
	case "CheckMortality", "CheckEra":
		if mortal := v.Member("mortalEra"); mortal.Kind() == jsonscan.Array {
			if s.Era.Period, err = chain.ReadUint64(mortal.Index(0)); err == nil {
				s.Era.Phase, err = chain.ReadUint64(mortal.Index(1))
			}
		}
	case "CheckMetadataHash":
		mode, _ := v.Member("mode").Text()
		s.BindsMetadata = mode == metadataHashEnabled
	}
	return err
}

// takeSigned notes what is signed with an extension, and is not in the extrinsic.
func (s *Signing) takeSigned(name string, v jsonscan.Value) (err error) {
	hash := func(to *chain.Hash) error {
		text, _ := v.Text()
		*to, err = chain.ParseHash(text)
		return err
	}
	version := func(to *uint32) error {
		n, err := chain.ReadUint64(v)
		*to = uint32(n) // of a type of 32 bits
		return err
	}
	switch name {
	case "CheckSpecVersion":
		return version(&s.SpecVersion)
	case "CheckTxVersion":
		return version(&s.TransactionVersion)
	case "CheckGenesis":
		return hash(&s.Genesis)
	case "CheckMortality", "CheckEra":
		return hash(&s.Birth)
	case "CheckMetadataHash":
		if s.BindsMetadata {
			return hash(&s.MetadataHash)
		}
	}
	return nil
}

// inside are the extensions that stand in the extrinsic.
func (r *Runtime) inside(s *Signing) (to []byte, err error) {
	for _, e := range r.metadata.Extrinsic.Extensions {
		if to, err = r.extend(to, e.Name, e.Type, extensionNamed(e.Name).inside, s); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// extend appends the value of an extension.
func (r *Runtime) extend(to []byte, name string, id metadata.TypeID, value func(*Signing) string, s *Signing) ([]byte, error) {
	switch {
	case r.empty(id):
		return to, nil
	case value == nil:
		return nil, fmt.Errorf("the runtime wants its extension %s in an extrinsic, of type %s: nothing is known of it", name, r.metadata.Describe(id))
	}
	v, err := jsonscan.Parse(value(s))
	if err == nil {
		to, err = r.encoder.Value(to, id, v)
	}
	if err != nil {
		return nil, fmt.Errorf("extension %s: %w", name, err)
	}
	return to, nil
}

// longPayload is how many bytes of a payload are signed as they are.
const longPayload = 256

// Digest is what is signed of a payload: the keccak-256 of it, or of its BLAKE2b-256 where it has
// more than 256 bytes.
//
// Source: polkadot-sdk, SignedPayload::using_encoded; moonbeam, EthereumSignature::verify.
func Digest(payload []byte) chain.Hash {
	if len(payload) > longPayload {
		short := blake2b.Sum256(payload)
		payload = short[:]
	}
	h := sha3.NewLegacyKeccak256()
	h.Write(payload)
	return chain.Hash(h.Sum(nil))
}

// Hash is the hash of an extrinsic, as the chain names it.
func Hash(encoded []byte) chain.Hash { return blake2b.Sum256(encoded) }

// The bytes that an extrinsic begins with, behind its length.
const (
	unsignedVersion = 4
	signedVersion   = 0x84
)

// Encode makes the signed extrinsic of a call, behind its length.
func (r *Runtime) Encode(call []byte, s *Signing, signer chain.Address, signature Signature) ([]byte, error) {
	inside, err := r.inside(s)
	if err != nil {
		return nil, err
	}
	body := append([]byte{signedVersion}, signer[:]...)
	body = append(append(append(body, signature[:]...), inside...), call...)
	return scale.AppendBlob(nil, body), nil
}

// EncodeUnmade makes the signed extrinsic of a call before it is signed: as long as it will be,
// with a signature that is nobody's. It is for asking what it would cost.
func (r *Runtime) EncodeUnmade(call []byte, s *Signing, signer chain.Address) ([]byte, error) {
	var nobodys Signature
	for i := range nobodys {
		nobodys[i] = 1
	}
	return r.Encode(call, s, signer, nobodys)
}
