package sidecar

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Compare returns the first difference in content between two sources' reports of one block, or "". It
// ignores the form of numbers, flags and addresses, the spelling and order of keys, and the difference between
// null and a missing value. The text of both is available: [chain.Reported] returns no error.
func Compare(a, b *chain.Block) string {
	switch {
	case a.Number != b.Number:
		return differ("number", a.Number, b.Number)
	case a.Hash != b.Hash:
		return differ("hash", a.Hash, b.Hash)
	case a.ParentHash != b.ParentHash:
		return differ("parentHash", a.ParentHash, b.ParentHash)
	case len(a.Extrinsics) != len(b.Extrinsics):
		return differ("the number of extrinsics", len(a.Extrinsics), len(b.Extrinsics))
	}
	textA, textB := textOf(a), textOf(b)
	if d := compareEvents("onInitialize", a.OnInitialize, b.OnInitialize, textA.Member("onInitialize"), textB.Member("onInitialize")); d != "" {
		return d
	}
	listA, listB := elements(textA.Member("extrinsics")), elements(textB.Member("extrinsics"))
	for i := range a.Extrinsics {
		if d := compareExtrinsics(fmt.Sprintf("extrinsics[%d]", i), &a.Extrinsics[i], &b.Extrinsics[i], listA(i), listB(i)); d != "" {
			return d
		}
	}
	return compareEvents("onFinalize", a.OnFinalize, b.OnFinalize, textA.Member("onFinalize"), textB.Member("onFinalize"))
}

// textOf returns what the source reported of a block, which was decoded before.
func textOf(b *chain.Block) (v jsonscan.Value) {
	if b.Reported != nil {
		text, _ := b.Reported.Text() // no error, see Compare
		v, _ = jsonscan.Parse(text)
	}
	return v
}

// elements returns the elements of an array by index, absent if there is none.
func elements(v jsonscan.Value) func(int) jsonscan.Value {
	list := slices.Collect(v.Elements())
	return func(i int) jsonscan.Value {
		if i >= len(list) {
			return jsonscan.Value{}
		}
		return list[i]
	}
}

func compareExtrinsics(path string, a, b *chain.Extrinsic, textA, textB jsonscan.Value) string {
	switch {
	case !strings.EqualFold(a.Pallet+"."+a.Call, b.Pallet+"."+b.Call):
		return differ(path+".method", a.Pallet+"."+a.Call, b.Pallet+"."+b.Call)
	case a.Hash != b.Hash:
		return differ(path+".hash", a.Hash, b.Hash)
	case (a.Signed != nil) != (b.Signed != nil):
		return differ(path+".signature", a.Signed != nil, b.Signed != nil)
	}
	for _, part := range []struct {
		name string
		of   func(jsonscan.Value) jsonscan.Value
	}{
		{"signature.signer", func(v jsonscan.Value) jsonscan.Value { return readSigner(v.Member("signature").Member("signer")) }},
		{"nonce", func(v jsonscan.Value) jsonscan.Value { return v.Member("nonce") }},
		{"tip", func(v jsonscan.Value) jsonscan.Value { return v.Member("tip") }},
	} {
		if d := compareValues(path+"."+part.name, part.of(textA), part.of(textB)); d != "" {
			return d
		}
	}
	argsA, argsB := textA.Member("args"), textB.Member("args")
	forms := comparison{isTransact(a) && hasLimbs(argsA), isTransact(a) && hasLimbs(argsB)}
	if d := forms.values(path+".args", argsA, argsB); d != "" {
		return d
	}
	return compareEvents(path, a.Events, b.Events, textA, textB)
}

// hasLimbs reports whether the numbers of an Ethereum transaction are limbs.
func hasLimbs(args jsonscan.Value) bool {
	transaction := args.Member("transaction")
	if _, fields, typed := transaction.Only(); typed {
		transaction = fields
	}
	return transaction.Member("gasLimit").Kind() == jsonscan.Array
}

func compareEvents(path string, a, b []chain.Event, textA, textB jsonscan.Value) string {
	if len(a) != len(b) {
		return differ(path+": the number of events", len(a), len(b))
	}
	listA, listB := elements(textA.Member("events")), elements(textB.Member("events"))
	for i := range a {
		at := fmt.Sprintf("%s.events[%d]", path, i)
		if x, y := a[i].Pallet+"."+a[i].Name, b[i].Pallet+"."+b[i].Name; !strings.EqualFold(x, y) {
			return differ(at+".method", x, y)
		}
		if d := compareValues(at+".data", listA(i).Member("data"), listB(i).Member("data")); d != "" {
			return d
		}
	}
	return ""
}

func compareValues(path string, a, b jsonscan.Value) string { return comparison{}.values(path, a, b) }

// comparison compares two values. It states for each whether its numbers of 256 bits are limbs.
type comparison struct{ limbsA, limbsB bool }

// values compares lists and objects recursively. The decoder of the responses bounds their depth.
func (c comparison) values(path string, a, b jsonscan.Value) string {
	if (c.limbsA || c.limbsB) && isU256(path) {
		x, errX := readU256(a, c.limbsA)
		y, errY := readU256(b, c.limbsB)
		if errX == nil && errY == nil {
			a, b = x, y
		}
	}
	if a.Raw() == b.Raw() || isNothing(a) && isNothing(b) {
		return ""
	}
	switch {
	case strings.HasSuffix(path, ".weight") && sameWeight(a, b):
		return ""
	case a.Kind() == jsonscan.Object && b.Kind() == jsonscan.Object:
		return c.objects(path, a, b)
	case a.Kind() == jsonscan.Array && b.Kind() == jsonscan.Array:
		return c.lists(path, slices.Collect(a.Elements()), slices.Collect(b.Elements()))
	case sameScalar(path, a, b), sameFewBytes(a, b):
		return ""
	}
	return differ(path, a.Raw(), b.Raw())
}

// isU256 reports whether the last name in a path is that of a number of 256 bits in an Ethereum transaction.
func isU256(path string) bool {
	switch folded(path[strings.LastIndexByte(path, '.')+1:]) {
	case "nonce", "gasprice", "maxfeepergas", "maxpriorityfeepergas", "gaslimit", "value":
		return true
	}
	return false
}

// sameWeight compares weights in either form.
func sameWeight(a, b jsonscan.Value) bool {
	x, errX := jsonread.Weight(a)
	y, errY := jsonread.Weight(b)
	return errX == nil && errY == nil && x == y
}

func (c comparison) lists(path string, a, b []jsonscan.Value) string {
	if len(a) != len(b) {
		return differ(path+": the length", len(a), len(b))
	}
	for i := range a {
		if d := c.values(fmt.Sprintf("%s[%d]", path, i), a[i], b[i]); d != "" {
			return d
		}
	}
	return ""
}

func (c comparison) objects(path string, a, b jsonscan.Value) string {
	others := map[string]jsonscan.Value{}
	for key, value := range b.Members() {
		others[folded(key)] = value
	}
	for key, value := range a.Members() {
		if d := c.values(path+"."+jsonscan.Excerpt(key), value, others[folded(key)]); d != "" {
			return d
		}
		delete(others, folded(key))
	}
	for key, value := range b.Members() { // in b's order
		if _, left := others[folded(key)]; left && !isNothing(value) {
			return differ(path+"."+jsonscan.Excerpt(key), "nothing", value.Raw())
		}
	}
	return ""
}

// folded returns a key in a form common to snake_case and camelCase.
func folded(key string) string { return strings.ToLower(strings.ReplaceAll(key, "_", "")) }

func isNothing(v jsonscan.Value) bool {
	return v.Kind() == jsonscan.Absent || v.Kind() == jsonscan.Null
}

// sameScalar compares numbers, flags, hex digits and names.
func sameScalar(path string, a, b jsonscan.Value) bool {
	if x, ok := flag(path, a); ok {
		y, also := flag(path, b)
		return also && x == y
	}
	x, textX := a.Text()
	y, textY := b.Text()
	if textX && textY {
		hex := strings.HasPrefix(x, "0x") && strings.HasPrefix(y, "0x")
		if strings.EqualFold(x, y) && hex || x == y {
			return true
		}
		if hex && areBytes(path) {
			return false
		}
	}
	n, errX := jsonread.TokenAmount(a)
	m, errY := jsonread.TokenAmount(b)
	return errX == nil && errY == nil && n == m
}

// flag decodes values that gateways write as a bool or as Yes and No, and the parity of a signature, which
// some write as 0 and 1.
func flag(path string, v jsonscan.Value) (value, ok bool) {
	if value, ok = v.Bool(); ok {
		return value, true
	}
	if strings.HasSuffix(folded(path), ".oddyparity") {
		n, err := jsonread.Uint64(v)
		return n == 1, err == nil && n <= 1
	}
	text, _ := v.Text()
	return text == "Yes", text == "Yes" || text == "No"
}

// sameFewBytes compares lists of fewer than two bytes, which Sidecar writes as hex digits and its successor as
// an array.
func sameFewBytes(a, b jsonscan.Value) bool {
	x, okX := fewBytes(a)
	y, okY := fewBytes(b)
	return okX && okY && strings.EqualFold(x, y)
}

func fewBytes(v jsonscan.Value) (digits string, ok bool) {
	v, err := readBytes(v)
	digits, _ = v.Text()
	return digits, err == nil && strings.HasPrefix(digits, "0x") && len(digits) <= len("0x00")
}

// areBytes reports whether hex digits at a path are bytes, so that leading zeros count.
func areBytes(path string) bool {
	return strings.HasSuffix(path, ".input") || strings.HasSuffix(path, ".data") || strings.HasSuffix(path, ".payload") || strings.HasSuffix(path, ".remark")
}

func differ(path string, a, b any) string {
	return fmt.Sprintf("%s: %s, and %s", path, jsonscan.Excerpt(fmt.Sprint(a)), jsonscan.Excerpt(fmt.Sprint(b)))
}
