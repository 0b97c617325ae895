package block

import (
	"fmt"

	"github.com/feeledger/fees/internal/substrate/scale"
)

// Preamble is the start of an extrinsic.
type Preamble struct {
	// Signed and General report what follows before the call: signer, signature and extensions of version 0; or extensions
	// of a version, and no signature. An extrinsic that is neither is bare.
	Signed, General bool
	Version         uint8 // of the extensions
}

const (
	versionBits = 0x3f
	generalBit  = 0x40
	signedBit   = 0x80
)

// Open reads the length and the preamble of an extrinsic.
//
// Source: polkadot-sdk, primitives/runtime/src/generic/unchecked_extrinsic.rs, Preamble.
func Open(extrinsic []byte) (r *scale.Reader, p Preamble, err error) {
	r = scale.NewReader(extrinsic)
	if n := r.Length(1); r.Err() == nil && n != r.Left() {
		return nil, p, fmt.Errorf("its length prefix is %d bytes, but %d follow", n, r.Left())
	}
	switch version := r.U8(); version {
	case 4, 5:
	case 4 | signedBit:
		p.Signed = true
	case 5 | generalBit:
		p.General, p.Version = true, r.U8()
	default:
		r.Fail("unknown extrinsic version %d (byte %#x)", version&versionBits, version)
	}
	return r, p, r.Err()
}

// The names of the call of a general extrinsic whose extensions the metadata do not describe: the call follows them.
const (
	UnknownPallet = "unknown"
	UnknownCall   = "unknown"
)
