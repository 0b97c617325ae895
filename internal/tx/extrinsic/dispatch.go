package extrinsic

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// Cost is the runtime's estimate for an extrinsic.
type Cost struct {
	Weight chain.Weight
	Class  string    // "normal", "operational" or "mandatory"
	Fee    chain.Wei // without the tip, in wei
}

// QueryInfo is the runtime function that returns the estimate (state_call), with arguments from
// [QueryInfoArguments].
const QueryInfo = "TransactionPaymentApi_query_info"

// QueryInfoArguments returns the arguments of [QueryInfo]: the extrinsic, and its length.
func QueryInfoArguments(encoded []byte) []byte {
	return binary.LittleEndian.AppendUint32(append([]byte(nil), encoded...), uint32(len(encoded)))
}

var classes = [...]string{"normal", "operational", "mandatory"}

// ReadCost decodes the response of [QueryInfo]: weight, class, fee.
//
// Runtimes with one-dimensional weights encode them as 8 bytes, later ones as two compact integers;
// System.BlockWeight shows which.
func (r *Runtime) ReadCost(answer []byte) (c Cost, err error) {
	reader := scale.NewReader(answer)
	var refTime, proofSize uint64
	if r.oneDimension() {
		refTime = reader.U64()
	} else {
		refTime, proofSize = reader.CompactUint(), reader.CompactUint()
	}
	class := reader.U8()
	fee := reader.Bytes(16)
	if err := reader.End(); err != nil {
		return Cost{}, fmt.Errorf("%s: %w", QueryInfo, err)
	}
	if int(class) >= len(classes) {
		return Cost{}, fmt.Errorf("%s: unknown class %d", QueryInfo, class)
	}
	if proofSize > 1<<53 {
		return Cost{}, errors.New(QueryInfo + ": the proof size overflows")
	}
	c.Class = classes[class]
	c.Weight = chain.Weight{RefTime: chain.NewRefTime(refTime), ProofSize: proofSize}
	var word [32]byte
	for i, b := range fee {
		word[len(word)-1-i] = b
	}
	c.Fee, err = chain.WeiOf(word)
	return c, err
}

// oneDimension reports whether the runtime's weights are one integer.
func (r *Runtime) oneDimension() bool {
	for i := range r.metadata.Types {
		t := &r.metadata.Types[i]
		if t.Name() == "Weight" && len(t.Path) == 3 && t.Path[1] == "weight_v2" {
			return len(t.Fields) != 2
		}
	}
	return true
}
