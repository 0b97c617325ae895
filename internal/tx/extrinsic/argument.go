package extrinsic

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// argument appends an argument from a user.
func (r *Runtime) argument(to []byte, f metadata.Field, text string) ([]byte, error) {
	if f.Name == "call" && r.isBytes(f.Type) && strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, fmt.Errorf("want the bytes of a call, 0x and hex digits. Create them with \"fees tx build --hex\"")
	}
	return r.Text(to, f.Type, text)
}

// Text appends a value of a type from a user, in the form that [Runtime.Call] accepts.
func (r *Runtime) Text(to []byte, id metadata.TypeID, text string) ([]byte, error) {
	v, err := r.given(r.plain(id), text)
	if err != nil {
		return nil, err
	}
	return r.encoder.Value(to, id, v)
}

// plain returns the type inside wrappers of one unnamed field, and of compact integers.
func (r *Runtime) plain(id metadata.TypeID) *metadata.Type {
	const most = 16
	t := &r.metadata.Types[id]
	for range most {
		switch {
		case t.Kind == metadata.Compact:
			t = &r.metadata.Types[t.Element]
		case t.Kind == metadata.Composite && len(t.Fields) == 1 && t.Fields[0].Name == "":
			t = &r.metadata.Types[t.Fields[0].Type]
		case t.Kind == metadata.Tuple && len(t.Elements) == 1:
			t = &r.metadata.Types[t.Elements[0]]
		default:
			return t
		}
	}
	return t
}

func (r *Runtime) isBytes(id metadata.TypeID) bool {
	t := r.plain(id)
	if t.Kind != metadata.Sequence && t.Kind != metadata.Array {
		return false
	}
	element := &r.metadata.Types[t.Element]
	return element.Kind == metadata.Primitive && element.Primitive == metadata.U8
}

// given converts a user's text to the JSON that its type requires.
func (r *Runtime) given(t *metadata.Type, text string) (jsonscan.Value, error) {
	text = strings.TrimSpace(text)
	switch {
	case t.Kind == metadata.Primitive && t.Primitive == metadata.Str:
		return jsonscan.OfText(text), nil
	case t.Kind == metadata.Primitive && t.Primitive == metadata.U128:
		return r.amount(text)
	case t.Name() == "Option" && len(t.Path) == 1:
		if text == "null" || text == "none" || text == "None" {
			return jsonscan.OfNull(), nil
		}
		if len(t.Parameters) == 1 && t.Parameters[0].Type != nil {
			return r.given(r.plain(*t.Parameters[0].Type), text)
		}
	}
	if v, known := r.account32(t, text); known {
		return v, nil
	}
	if v, err := jsonscan.Parse(text); err == nil {
		return v, nil
	}
	if t.Kind == metadata.Variant && r.named(t, text) {
		return jsonscan.OfMember(text, jsonscan.OfNull()), nil
	}
	return jsonscan.OfText(text), nil
}

// account32 returns the JSON of an account of 32 bytes, which has the prefix of the runtime. Users may write any prefix.
func (r *Runtime) account32(t *metadata.Type, text string) (v jsonscan.Value, known bool) {
	account, err := chain.ParseAccount(text)
	prefix, known := r.metadata.SS58Prefix()
	if err != nil || !known || account.Size() != chain.LongAddressSize {
		return v, false
	}
	v = jsonscan.OfText(account.SS58(prefix))
	switch t.Name() {
	case "MultiAddress":
		return jsonscan.OfMember("id", v), true
	case "AccountId32":
		return v, true
	}
	return v, false // such as a hash
}

// named reports whether a text names a variant without a value, of an enum in which others have values: its
// JSON is {"name": null}.
func (r *Runtime) named(t *metadata.Type, text string) bool {
	mixed, found := false, false
	for _, v := range t.Variants {
		mixed = mixed || len(v.Fields) > 0
		found = found || len(v.Fields) == 0 && scalejson.CamelCase(v.Name) == text
	}
	return mixed && found
}

var amountForm = regexp.MustCompile(`^([0-9]{1,39})(?:\.([0-9]{1,39}))? ?([A-Za-z]+)$`)

// amount parses an integer of 128 bits: a plain integer, or an amount of the chain's token.
func (r *Runtime) amount(text string) (jsonscan.Value, error) {
	if v, err := jsonscan.Parse(text); err == nil && !strings.Contains(text, ".") {
		return v, nil
	}
	digits, err := r.token.Smallest(text)
	if err != nil {
		return jsonscan.Value{}, err
	}
	return jsonscan.OfText(digits), nil
}

// Smallest converts an amount from a user to the token's smallest unit: an integer is in that unit already,
// 1.5GLMR is an amount of the token.
func (t Token) Smallest(text string) (digits string, err error) {
	if text != "" && len(text) <= 78 && strings.Trim(text, "0123456789") == "" {
		return text, nil
	}
	example := "1.5" + t.Symbol
	if t.Symbol == "" {
		example = "1.5GLMR"
	}
	parts := amountForm.FindStringSubmatch(text)
	if parts == nil {
		return "", fmt.Errorf("want an integer in decimal digits, in the smallest unit if it is an amount, or an amount of the token such as %s; have %q", example, jsonscan.Excerpt(text))
	}
	whole, fraction, symbol := parts[1], parts[2], parts[3]
	switch {
	case t.Symbol == "":
		return "", fmt.Errorf("%q is an amount of a token, but the chain's token is unknown. Use the smallest unit, or pass --symbol and --decimals", jsonscan.Excerpt(text))
	case symbol != t.Symbol:
		return "", fmt.Errorf("%q is an amount of %s, but the chain's token is %s", jsonscan.Excerpt(text), symbol, t.Symbol)
	case len(fraction) > t.Decimals:
		return "", fmt.Errorf("%q has %d decimals, but %s has %d", jsonscan.Excerpt(text), len(fraction), symbol, t.Decimals)
	}
	digits = strings.TrimLeft(whole+fraction+strings.Repeat("0", t.Decimals-len(fraction)), "0")
	if digits == "" {
		digits = "0"
	}
	return digits, nil
}
