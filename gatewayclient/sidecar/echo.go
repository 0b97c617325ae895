package sidecar

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// StorageItem identifies a storage item in a request.
type StorageItem struct {
	Pallet, Name string
	Keys         []string // of a map
}

// decodeItem decodes the response for the item, whose value the function reads. A response that names another storage item
// than the request is an error. Some gateways omit the names.
func decodeItem[T any](what, text string, i StorageItem, read func(jsonscan.Value) (T, error)) (s chain.AtBlock[T], err error) {
	var at, pallet, name, keys, value jsonscan.Value
	scan := func(in *jsonscan.Scanner) {
		for in.Object(); in.Member(); {
			switch key := in.Key(); key {
			case "at":
				at = in.Value()
			case "pallet":
				pallet = in.Value()
			case "storageItem":
				name = in.Value()
			case "keys":
				keys = in.Value()
			case "value":
				value = in.Value()
			default:
				in.Skip()
			}
		}
	}
	err = decodeObject(what, text, scan, func(fields *firstError) {
		s.At, s.AtHash = readAt(at, fields)
		i.check(pallet, name, keys, fields)
		var err error
		s.Value, err = read(value)
		fields.at("value", err)
	})
	return s, err
}

// check records that a response names another storage item.
func (i StorageItem) check(pallet, name, keys jsonscan.Value, fields *firstError) {
	for _, requested := range []struct {
		field, want string
		have        jsonscan.Value
	}{{"pallet", i.Pallet, pallet}, {"storageItem", i.Name, name}} {
		name, isText := requested.have.Text()
		if requested.have.Kind() != jsonscan.Absent && (!isText || !sameName(name, requested.want)) {
			fields.at(requested.field, fmt.Errorf("want %s, have %s", requested.want, jsonscan.Excerpt(requested.have.Raw())))
		}
	}
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
	return a == b || strings.EqualFold(strings.ReplaceAll(a, "-", ""), strings.ReplaceAll(b, "-", ""))
}
