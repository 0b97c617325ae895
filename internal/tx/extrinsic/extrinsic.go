package extrinsic

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Extrinsic is one that was read.
type Extrinsic struct {
	Signed    bool
	Signer    chain.Address // zero, as what follows, where it is not signed
	Signature Signature
	Signing                  // without what stands in no extrinsic: hashes and versions
	Data      []byte         // the call, encoded
	Call      jsonscan.Value // {"method": {"pallet", "method"}, "args"}
	Hash      chain.Hash
}

// Read reads an extrinsic, behind its length, to its end.
func (r *Runtime) Read(encoded []byte) (*Extrinsic, error) {
	reader := scale.NewReader(encoded)
	if n := reader.Length(1); reader.Err() == nil && n != reader.Left() {
		return nil, fmt.Errorf("its length says %d bytes, and %d follow", n, reader.Left())
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
		return nil, fmt.Errorf("extrinsics that begin with the byte %#x are not known: want those of version 4", version)
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

// readSigned reads signer, signature and extensions.
func (r *Runtime) readSigned(reader *scale.Reader, x *Extrinsic) error {
	copy(x.Signer[:], reader.Bytes(len(x.Signer)))
	copy(x.Signature[:], reader.Bytes(SignatureLength))
	return r.readExtensions(reader, x.take, func(e metadata.Extension) metadata.TypeID { return e.Type })
}

// Content is what an extrinsic has behind its length, where that is right.
func Content(encoded []byte) (content []byte, ok bool) {
	r := scale.NewReader(encoded)
	content = r.Blob()
	return content, r.End() == nil
}
