package sidecar

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
)

// BaseFeePath returns the gateway's path for a stored base fee, given its storage item, such as
// "BaseFee.BaseFeePerGas".
func BaseFeePath(item string, at uint64) string {
	pallet, name := baseFeeNames(item)
	return fmt.Sprintf("/pallets/%s/storage/%s?at=%d", pallet, name, at)
}

// baseFeeNames returns the names of a storage item as gateways write them.
func baseFeeNames(item string) (pallet, name string) {
	pallet, name, _ = strings.Cut(item, ".")
	return lowerFirst(pallet), lowerFirst(name)
}

func lowerFirst(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// DecodeBaseFee decodes a stored base fee per gas in wei. An answer that names a different storage item is an error.
func DecodeBaseFee(text, item string) (chain.AtBlock[chain.GasPrice], error) {
	pallet, name := baseFeeNames(item)
	return decodeItem("base fee", text, StorageItem{Pallet: pallet, Name: name}, jsonread.GasPrice)
}
