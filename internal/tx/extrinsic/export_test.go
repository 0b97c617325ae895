package extrinsic

import (
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// CallOf makes call data of a call as JSON: {"method": {"pallet", "method"}, "args"}.
func (r *Runtime) CallOf(v jsonscan.Value) ([]byte, error) { return r.encoder.Call(nil, v) }

// EncodeUnsigned makes the extrinsic of a call that nobody signs, behind its length.
func EncodeUnsigned(call []byte) []byte {
	return scale.AppendBlob(nil, append([]byte{unsignedVersion}, call...))
}
