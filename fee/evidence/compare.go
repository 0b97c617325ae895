package evidence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// CompareWith checks that another gateway returns the same block, and the same multiplier that priced it.
func (r *Report) CompareWith(b, other *chain.Block, multiplier chain.Optional[chain.StoredMultiplier]) {
	r.later(besideOther, b, subject{other: other, pricedBy: multiplier})
}

func (s *subject) sameElsewhere() {
	difference := Compare(s.block, s.other)
	if difference == "" && s.pricedBy != s.proved.Multiplier {
		difference = differ("multiplier", s.proved.Multiplier, s.pricedBy)
	}
	if difference == "" {
		s.held()
	} else {
		s.broken("%s", difference)
	}
}

// Compare returns the first difference in content between two gateways' responses for one block, or "". It
// ignores the form of numbers, flags and addresses, the spelling and order of keys, and the difference between
// null and a missing value.
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
	if d := compareEvents("onInitialize", a.OnInitialize, b.OnInitialize); d != "" {
		return d
	}
	for i := range a.Extrinsics {
		if d := compareExtrinsics(fmt.Sprintf("extrinsics[%d]", i), &a.Extrinsics[i], &b.Extrinsics[i]); d != "" {
			return d
		}
	}
	return compareEvents("onFinalize", a.OnFinalize, b.OnFinalize)
}

func compareExtrinsics(path string, a, b *chain.Extrinsic) string {
	switch {
	case !strings.EqualFold(a.Pallet+"."+a.Call, b.Pallet+"."+b.Call):
		return differ(path+".method", a.Pallet+"."+a.Call, b.Pallet+"."+b.Call)
	case a.Hash != b.Hash:
		return differ(path+".hash", a.Hash, b.Hash)
	case a.Signed != b.Signed:
		return differ(path+".signature", a.Signed, b.Signed)
	}
	for _, part := range []struct {
		name string
		a, b chain.Value
	}{{"signature.signer", a.Signer, b.Signer}, {"nonce", a.Nonce, b.Nonce}, {"tip", a.Tip, b.Tip}, {"args", a.Args, b.Args}} {
		if d := compareValues(path+"."+part.name, part.a, part.b); d != "" {
			return d
		}
	}
	return compareEvents(path, a.Events, b.Events)
}

func compareEvents(path string, a, b []chain.Event) string {
	if len(a) != len(b) {
		return differ(path+": the number of events", len(a), len(b))
	}
	for i := range a {
		at := fmt.Sprintf("%s.events[%d]", path, i)
		if x, y := a[i].Pallet+"."+a[i].Name, b[i].Pallet+"."+b[i].Name; !strings.EqualFold(x, y) {
			return differ(at+".method", x, y)
		}
		if d := compareValues(at+".data", a[i].Data, b[i].Data); d != "" {
			return d
		}
	}
	return ""
}

// compareValues compares lists and objects recursively. The decoder of the responses bounds their depth.
func compareValues(path string, a, b chain.Value) string {
	if a.Raw() == b.Raw() || isNothing(a) && isNothing(b) {
		return ""
	}
	switch {
	case strings.HasSuffix(path, ".weight") && sameWeight(a, b):
		return ""
	case a.Kind() == jsonscan.Object && b.Kind() == jsonscan.Object:
		return compareObjects(path, a, b)
	case a.Kind() == jsonscan.Array && b.Kind() == jsonscan.Array:
		return compareLists(path, slices.Collect(a.Elements()), slices.Collect(b.Elements()))
	case sameScalar(path, a, b), sameFewBytes(a, b):
		return ""
	}
	return differ(path, a.Raw(), b.Raw())
}

// sameWeight compares weights in either form.
func sameWeight(a, b chain.Value) bool {
	x, errX := chain.Read[chain.Weight](a)
	y, errY := chain.Read[chain.Weight](b)
	return errX == nil && errY == nil && x == y
}

func compareLists(path string, a, b []chain.Value) string {
	if len(a) != len(b) {
		return differ(path+": the length", len(a), len(b))
	}
	for i := range a {
		if d := compareValues(fmt.Sprintf("%s[%d]", path, i), a[i], b[i]); d != "" {
			return d
		}
	}
	return ""
}

func compareObjects(path string, a, b chain.Value) string {
	others := map[string]chain.Value{}
	for key, value := range b.Members() {
		others[folded(key)] = value
	}
	for key, value := range a.Members() {
		if d := compareValues(path+"."+jsonscan.Excerpt(key), value, others[folded(key)]); d != "" {
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

func isNothing(v chain.Value) bool {
	return v.Kind() == jsonscan.Absent || v.Kind() == jsonscan.Null
}

// sameScalar compares numbers, flags, hex digits and names.
func sameScalar(path string, a, b chain.Value) bool {
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
	n, errX := chain.Read[chain.TokenAmount](a)
	m, errY := chain.Read[chain.TokenAmount](b)
	return errX == nil && errY == nil && n == m
}

// flag decodes values that gateways write as a bool or as Yes and No, and the parity of a signature, which
// some write as 0 and 1.
func flag(path string, v chain.Value) (value, ok bool) {
	if value, ok = v.Bool(); ok {
		return value, true
	}
	if strings.HasSuffix(folded(path), ".oddyparity") {
		n, err := chain.ReadUint64(v)
		return n == 1, err == nil && n <= 1
	}
	text, _ := v.Text()
	return text == "Yes", text == "Yes" || text == "No"
}

// sameFewBytes compares lists of fewer than two bytes, which Sidecar writes as hex digits and its successor as
// an array.
func sameFewBytes(a, b chain.Value) bool {
	x, okX := fewBytes(a)
	y, okY := fewBytes(b)
	return okX && okY && strings.EqualFold(x, y)
}

func fewBytes(v chain.Value) (digits string, ok bool) {
	if text, isText := v.Text(); isText {
		return text, strings.HasPrefix(text, "0x") && len(text) <= len("0x00")
	}
	elements := slices.Collect(v.Elements())
	if v.Kind() != jsonscan.Array || len(elements) > 1 {
		return "", false
	}
	digits = "0x"
	for _, element := range elements {
		n, err := chain.ReadUint64(element)
		if err != nil || n > 255 {
			return "", false
		}
		digits = fmt.Sprintf("0x%02x", n)
	}
	return digits, true
}

// areBytes reports whether hex digits at a path are bytes, so that leading zeros count.
func areBytes(path string) bool {
	return strings.HasSuffix(path, ".input") || strings.HasSuffix(path, ".data") || strings.HasSuffix(path, ".remark")
}

func differ(path string, a, b any) string {
	return fmt.Sprintf("%s: %s, and %s", path, jsonscan.Excerpt(fmt.Sprint(a)), jsonscan.Excerpt(fmt.Sprint(b)))
}
