package extrinsic

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Extrinsic is a decoded extrinsic.
type Extrinsic struct {
	Signed    bool
	Signer    chain.Address  // zero, like the following fields, if unsigned
	Signature Signature      // of an account of 20 bytes
	Multi     MultiSignature // of an account of 32 bytes
	Signing                  // without the hashes and versions, which are not in the extrinsic
	Data      []byte         // the call, encoded
	Call      jsonscan.Value // {"method": {"pallet", "method"}, "args"}
	Hash      chain.Hash
}

// Read decodes a length-prefixed extrinsic to its end.
func (r *Runtime) Read(encoded []byte) (*Extrinsic, error) {
	reader := scale.NewReader(encoded)
	if n := reader.Length(1); reader.Err() == nil && n != reader.Left() {
		return nil, fmt.Errorf("its length prefix is %d bytes, but %d follow", n, reader.Left())
	}
	x := &Extrinsic{Hash: Hash(encoded)}
	switch version := reader.U8(); {
	case reader.Err() != nil:
	case version == signedVersion:
		x.Signed = true
		if err := r.readSigned(reader, x); err != nil {
			return nil, err
		}
	case version != unsignedVersion:
		return nil, fmt.Errorf("unknown extrinsic version (first byte %#x): want version 4", version)
	}
	at := reader.At()
	w := &scalejson.Writer{Reader: reader}
	r.writeCall(w)
	if err := w.End(); err != nil {
		return nil, err
	}
	x.Data = reader.Since(at)
	var err error
	x.Call, err = jsonscan.Parse(string(w.Text))
	return x, err
}

// readSigned decodes signer, signature and extensions.
func (r *Runtime) readSigned(reader *scale.Reader, x *Extrinsic) error {
	if r.signers != signers20 {
		if err := r.signers.read(reader, x); err != nil {
			return err
		}
	} else {
		if bytes := reader.Bytes(chain.AddressSize); bytes != nil {
			x.Signer = chain.Address20([chain.AddressSize]byte(bytes))
		}
		copy(x.Signature[:], reader.Bytes(SignatureLength))
	}
	return r.readExtensions(reader, x.take, func(e metadata.Extension) metadata.TypeID { return e.Type })
}

// Content returns an extrinsic without its length prefix; ok is false if the length is wrong.
func Content(encoded []byte) (content []byte, ok bool) {
	r := scale.NewReader(encoded)
	content = r.Blob()
	return content, r.End() == nil
}
