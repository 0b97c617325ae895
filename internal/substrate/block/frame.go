package block

import (
	"fmt"

	"github.com/feeledger/fees/internal/substrate/scale"
)

const (
	versionBits = 0x3f
	generalBit  = 0x40 // extensions, and no signature
	signedBit   = 0x80
)

// Open reads the length and the version of an extrinsic. What follows is the signature if signed, then the call.
func Open(extrinsic []byte) (r *scale.Reader, signed bool, err error) {
	r = scale.NewReader(extrinsic)
	if n := r.Length(1); r.Err() == nil && n != r.Left() {
		return nil, false, fmt.Errorf("its length prefix is %d bytes, but %d follow", n, r.Left())
	}
	version := r.U8()
	switch version {
	case 4, 4 | signedBit, 5:
		return r, version&signedBit != 0, nil
	case 5 | generalBit:
		return nil, false, fmt.Errorf("a general extrinsic of version 5 (byte %#x) is not supported", version)
	}
	if r.Err() != nil {
		return nil, false, r.Err()
	}
	return nil, false, fmt.Errorf("unknown extrinsic version %d (byte %#x)", version&versionBits, version)
}
