package sidecar

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/internal/jsonscan"
)

// StorageItem identifies a storage item in a request.
type StorageItem struct {
	Pallet, Name string
	Keys         []string // of a map
}

// check records that a response names another storage item than the request. Some gateways omit the names.
func (i StorageItem) check(v jsonscan.Value, fields *firstError) {
	for _, requested := range []struct{ field, want string }{{"pallet", i.Pallet}, {"storageItem", i.Name}} {
		have := v.Member(requested.field)
		name, isText := have.Text()
		if have.Kind() != jsonscan.Absent && (!isText || !sameName(name, requested.want)) {
			fields.at(requested.field, fmt.Errorf("want %s, have %s", requested.want, jsonscan.Excerpt(have.Raw())))
		}
	}
	keys := v.Member("keys")
	if keys.Kind() == jsonscan.Absent {
		return
	}
	n, same := 0, keys.Kind() == jsonscan.Array
	for element := range keys.Elements() {
		key, isText := element.Text()
		if !isText {
			key = element.Raw()
		}
		same = same && n < len(i.Keys) && strings.EqualFold(key, i.Keys[n])
		n++
	}
	if !same || n != len(i.Keys) {
		fields.at("keys", fmt.Errorf("want %s, have %s", jsonscan.Excerpt(fmt.Sprintf("%q", i.Keys)), jsonscan.Excerpt(keys.Raw())))
	}
}

// sameName compares names of pallets and storage items, which requests may write with hyphens: transaction-payment is
// transactionPayment.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "-", ""), strings.ReplaceAll(b, "-", ""))
}
