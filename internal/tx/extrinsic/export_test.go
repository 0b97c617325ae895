package extrinsic

import (
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// CallOf encodes a call given as JSON: {"method": {"pallet", "method"}, "args"}.
func (r *Runtime) CallOf(v jsonscan.Value) ([]byte, error) { return r.encoder.Call(nil, v) }

// EncodeUnsigned returns the extrinsic of an unsigned call, with its length prefix.
func EncodeUnsigned(call []byte) []byte {
	return scale.AppendBlob(nil, append([]byte{unsignedVersion}, call...))
}
