package sidecar

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// BlockWeightPath returns the gateway's path for system.blockWeight.
func BlockWeightPath(at uint64) string {
	return fmt.Sprintf("/pallets/system/storage/blockWeight?at=%d", at)
}

// DecodeBlockWeight decodes the storage item system.blockWeight: the weight that the chain counted for a
// block, by class, after that block.
func DecodeBlockWeight(text string) (w chain.AtBlock[chain.ClassWeights], err error) {
	err = decode("block weight", text, func(v jsonscan.Value, fields *firstError) {
		var err error
		w.At, w.AtHash = readAt(v.Member("at"), fields)
		StorageItem{Pallet: "system", Name: "blockWeight"}.check(v, fields)
		w.Value, err = jsonread.ClassWeights(v.Member("value"))
		fields.at("value", err)
	})
	return w, err
}
