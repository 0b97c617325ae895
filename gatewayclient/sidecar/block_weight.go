package sidecar

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
)

// BlockWeightPath returns the gateway's path for system.blockWeight.
func BlockWeightPath(at uint64) string {
	return fmt.Sprintf("/pallets/system/storage/blockWeight?at=%d", at)
}

// DecodeBlockWeight decodes the storage item system.blockWeight: the weight that the chain counted for a
// block, by class, after that block.
func DecodeBlockWeight(text string) (chain.AtBlock[chain.ClassWeights], error) {
	return decodeItem("block weight", text, StorageItem{Pallet: "system", Name: "blockWeight"}, jsonread.ClassWeights)
}
