package extrinsic

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/sha3"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Signing is the data that is signed with a call.
type Signing struct {
	Nonce chain.Nonce
	Tip   chain.Wei // on top of the fee
	Asset string    // in which the fee is paid, as its ID in Sidecar's JSON; "" for the chain's own token
	Era   Era
	Birth chain.Hash // hash of the era's first block, or of block 0 if the era is unlimited
	// Genesis and the versions bind the extrinsic to the chain and its current runtime: other chains and later
	// runtimes reject it.
	Genesis            chain.Hash
	SpecVersion        uint32
	TransactionVersion uint32
	// BindsMetadata includes MetadataHash in the signed data ([metadata.Metadata.Digest]): a chain whose metadata
	// have a different hash rejects the extrinsic. The runtime must have the extension CheckMetadataHash.
	BindsMetadata bool
	MetadataHash  chain.Hash
}

// SignatureLength is the number of bytes of a signature: r, s, and the recovery ID.
const SignatureLength = 65

// Signature is an ECDSA signature on secp256k1.
type Signature [SignatureLength]byte

// Payload returns the bytes that the signer of a call signs: call, extensions, and the data signed with them.
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

// Payload is a decoded payload.
type Payload struct {
	Data []byte         // the call, encoded
	Call jsonscan.Value // {"method": {"pallet", "method"}, "args"}
	Signing
}

// ReadPayload decodes a payload from [Runtime.Payload] to its end.
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
	if err := r.readInside(reader, 0, &p.Signing); err != nil {
		return nil, err
	}
	for _, e := range r.metadata.Extrinsic.Extensions {
		v, err := r.value(reader, e.Signed)
		if err == nil {
			err = p.takeSigned(e.Name, v)
		}
		if err != nil {
			return nil, fmt.Errorf("extension %s: %w", e.Name, err)
		}
	}
	return p, reader.End()
}

// readInside decodes the extensions of a version in an extrinsic.
func (r *Runtime) readInside(reader *scale.Reader, version uint8, to *Signing) error {
	for i, e := range r.metadata.Extrinsic.ByVersion()[version] {
		for _, part := range r.parts[version][i] {
			v, err := r.value(reader, part.Type)
			if err == nil {
				err = to.take(e.Name, part.Role, v)
			}
			if err != nil {
				return fmt.Errorf("extension %s: %w", e.Name, err)
			}
		}
	}
	return nil
}

// value decodes a value.
func (r *Runtime) value(reader *scale.Reader, id metadata.TypeID) (jsonscan.Value, error) {
	w := &scalejson.Writer{Reader: reader}
	if r.codec.Value(w, id); w.Err() != nil {
		return jsonscan.Value{}, w.Err()
	}
	return jsonscan.Parse(string(w.Text))
}

// take records a part of an extension in the extrinsic.
func (s *Signing) take(name string, role metadata.Role, v jsonscan.Value) (err error) {
	switch {
	case role == metadata.Nonce:
		s.Nonce, err = jsonread.Nonce(v)
	case role == metadata.Tip:
		s.Tip, err = jsonread.Wei(v)
	case role == metadata.Era:
		if mortal := v.Member("mortalEra"); mortal.Kind() == jsonscan.Array {
			if s.Era.Period, err = jsonread.Uint64(mortal.Index(0)); err == nil {
				s.Era.Phase, err = jsonread.Uint64(mortal.Index(1))
			}
		}
	case role == metadata.Asset:
		if v.Kind() != jsonscan.Null {
			s.Asset = v.Raw()
		}
	case name == "CheckMetadataHash":
		mode, _ := v.Member("mode").Text()
		s.BindsMetadata = mode == metadataHashEnabled
	}
	return err
}

// takeSigned records the value that is only signed with an extension.
func (s *Signing) takeSigned(name string, v jsonscan.Value) (err error) {
	hash := func(to *chain.Hash) error {
		text, _ := v.Text()
		*to, err = chain.ParseHash(text)
		return err
	}
	version := func(to *uint32) error {
		n, err := jsonread.Uint64(v)
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

// inside returns the values of the extensions in the extrinsic.
func (r *Runtime) inside(s *Signing) (to []byte, err error) {
	if !s.Tip.IsZero() && !r.Contains(metadata.Tip) {
		return nil, errors.New("no known extension of the runtime contains a tip. Leave it out")
	}
	for i, e := range r.metadata.Extrinsic.Extensions {
		for _, part := range r.parts[0][i] {
			value := roles[part.Role]
			if part.Role == metadata.NoRole {
				value = extensionNamed(e.Name).inside
			}
			if to, err = r.extend(to, e.Name, part.Type, value, s); err != nil {
				return nil, err
			}
		}
	}
	return to, nil
}

// roles are the values of parts of extensions, as JSON.
var roles = map[metadata.Role]func(*Signing) string{
	metadata.Nonce: func(s *Signing) string { return fmt.Sprint(s.Nonce) },
	metadata.Tip:   func(s *Signing) string { return quoted(s.Tip) },
	metadata.Era:   func(s *Signing) string { return s.Era.json() },
	metadata.Asset: func(s *Signing) string { return cmp.Or(s.Asset, "null") },
}

// extend appends the value of an extension.
func (r *Runtime) extend(to []byte, name string, id metadata.TypeID, value func(*Signing) string, s *Signing) ([]byte, error) {
	switch {
	case r.empty(id):
		return to, nil
	case value == nil:
		return nil, fmt.Errorf("the runtime requires the unsupported extension %s of type %s in extrinsics", name, r.metadata.Describe(id))
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

// longPayload is the number of bytes up to which a payload is signed directly.
const longPayload = 256

// Digest returns the hash of a payload that is signed: its keccak-256, or that of its BLAKE2b-256 if it is
// longer than 256 bytes.
//
// Source: polkadot-sdk, SignedPayload::using_encoded; moonbeam, EthereumSignature::verify.
func Digest(payload []byte) chain.Hash {
	payload = shortened(payload)
	h := sha3.NewLegacyKeccak256()
	h.Write(payload)
	return chain.Hash(h.Sum(nil))
}

// shortened returns the bytes that are signed for a payload: those of its BLAKE2b-256 if it is long.
func shortened(payload []byte) []byte {
	if len(payload) <= longPayload {
		return payload
	}
	short := blake2b.Sum256(payload)
	return short[:]
}

// Hash returns the chain's hash of an extrinsic.
func Hash(encoded []byte) chain.Hash { return blake2b.Sum256(encoded) }

// The first byte of an extrinsic that is encoded here, after its length prefix.
const (
	unsignedVersion = 4
	signedVersion   = 0x84
)

var errSigners = errors.New("signing for accounts of 32 bytes is not supported")

// Encode returns the signed extrinsic of a call, with its length prefix.
func (r *Runtime) Encode(call []byte, s *Signing, signer chain.Address, signature Signature) ([]byte, error) {
	if err := r.CanSign(); err != nil {
		return nil, err
	}
	return r.encode(call, s, signer, signature[:])
}

// EncodeUnmade returns the extrinsic of a call with a placeholder signature, at its final length: of accounts of 32
// bytes, an sr25519 signature, as most of them sign. It is for fee estimates.
func (r *Runtime) EncodeUnmade(call []byte, s *Signing, signer chain.Address) ([]byte, error) {
	placeholder := bytes.Repeat([]byte{1}, SignatureLength)
	if r.signers != signers20 {
		placeholder[0] = byte(Sr25519) // then 64 bytes
	}
	return r.encode(call, s, signer, placeholder)
}

// encode returns the extrinsic of a call with an encoded signature.
func (r *Runtime) encode(call []byte, s *Signing, signer chain.Address, signature []byte) ([]byte, error) {
	if have, want := signer.Size(), r.metadata.AccountSize(); have != want {
		return nil, fmt.Errorf("the signer %v has %d bytes, and accounts of this runtime have %d", signer, have, want)
	}
	inside, err := r.inside(s)
	if err != nil {
		return nil, err
	}
	body := []byte{signedVersion}
	if r.signers == signersMulti {
		body = append(body, addressID)
	}
	return scale.AppendBlob(nil, slices.Concat(body, signer.Bytes(), signature, inside, call)), nil
}

// CanSign returns an error if extrinsics of this runtime can be read, but not signed.
func (r *Runtime) CanSign() error {
	if r.signers != signers20 {
		return errSigners
	}
	return nil
}
