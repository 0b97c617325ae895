package extrinsic

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// Extrinsic is a decoded extrinsic.
type Extrinsic struct {
	Signed    bool
	Signer    chain.Address  // zero, like the following two, if unsigned
	Signature Signature      // of an account of 20 bytes
	Multi     MultiSignature // of an account of 32 bytes
	Signing                  // without the hashes and versions, which are not in the extrinsic; zero if it has no extensions
	Data      []byte         // the call, encoded
	Call      jsonscan.Value // {"method": {"pallet", "method"}, "args"}
	Hash      chain.Hash
}

// Read decodes a length-prefixed extrinsic to its end.
func (r *Runtime) Read(encoded []byte) (*Extrinsic, error) {
	reader, preamble, err := block.Open(encoded)
	if err != nil {
		return nil, err
	}
	x := &Extrinsic{Hash: Hash(encoded), Signed: preamble.Signed}
	if preamble.Signed {
		if err := r.readSigned(reader, x); err != nil {
			return nil, err
		}
	}
	if preamble.General {
		if _, known := r.parts[preamble.Version]; !known {
			return nil, fmt.Errorf("the runtime's metadata do not list extensions of version %d, with which this extrinsic begins", preamble.Version)
		}
		if err := r.readInside(reader, preamble.Version, &x.Signing); err != nil {
			return nil, err
		}
	}
	at := reader.At()
	w := &scalejson.Writer{Reader: reader}
	r.writeCall(w)
	if err := w.End(); err != nil {
		return nil, err
	}
	x.Data = reader.Since(at)
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
	return r.readInside(reader, 0, &x.Signing)
}

// Content returns an extrinsic without its length prefix; ok is false if the length is wrong.
func Content(encoded []byte) (content []byte, ok bool) {
	r := scale.NewReader(encoded)
	content = r.Blob()
	return content, r.End() == nil
}
