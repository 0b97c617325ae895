package sidecar

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// ProportionPath returns the gateway's path for FeesTreasuryProportion.
func ProportionPath(key string, at uint64) string {
	return fmt.Sprintf("/pallets/parameters/storage/parameters?keys%%5B%%5D=%s&at=%d", url.QueryEscape(key), at)
}

// DecodeProportion decodes FeesTreasuryProportion, requested by key:
//
//	{"at": {…}, "keys": ["0x0000"], "value": {"runtimeConfig": {"feesTreasuryProportion": "200000000"}}}
//
// Some gateways omit the keys. A value of a different parameter is an error.
func DecodeProportion(text, key string) (chain.AtBlock[chain.Optional[chain.Perbill]], error) {
	item := StorageItem{Pallet: "parameters", Name: "parameters", Keys: []string{key}}
	return decodeItem("FeesTreasuryProportion", text, item, readProportion)
}

func readProportion(v jsonscan.Value) (none chain.Optional[chain.Perbill], err error) {
	switch v.Kind() {
	case jsonscan.Absent:
		return none, chain.ErrMissing
	case jsonscan.Null:
		return none, nil
	}
	group, inner, _ := v.Only()
	name, value, ok := inner.Only()
	if !ok || !strings.EqualFold(group, "runtimeConfig") || !strings.EqualFold(name, "feesTreasuryProportion") {
		return none, fmt.Errorf("want runtimeConfig with feesTreasuryProportion, have %s", jsonscan.Excerpt(v.Raw()))
	}
	proportion, err := jsonread.Perbill(value)
	if err != nil {
		return none, err
	}
	return chain.Some(proportion), nil
}
