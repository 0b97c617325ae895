package block

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/schema"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/scalejson"
)

// reader reads a value.
type reader func(*scale.Reader) chain.Value

// value returns the reader of a value of a runtime's type that rules read as another. If it cannot be read so, it is
// malformed.
func (t *types) value(id metadata.TypeID, as schema.Type) reader {
	var read reader
	want := ""
	if of := &t.of[id]; of.Is("Option") && len(of.Variants) == 2 && len(of.Variants[1].Fields) == 1 {
		return t.optional(of.Variants[1].Fields[0].Type, as)
	}
	switch as {
	case schema.Account:
		read, want = t.account(id), "an address"
	case schema.Maybe:
		read = t.account(id)
	case schema.Number:
		read, want = t.number(id, 64), "a number"
	case schema.Amount:
		read, want = t.number(id, 128), "a number"
	case schema.Word:
		read, want = t.number(id, 256), "a number"
	case schema.Hash:
		read, want = t.hash(id), "a hash"
	case schema.Text:
		read = t.text(id)
	case schema.Exit:
		read = t.exit(id)
	case schema.Destination:
		read, want = t.destination(id), "Free or Reserved"
	case schema.HoldReason:
		read = t.holdReason(id)
	}
	if read != nil {
		return read
	}
	other := chain.UnreadValue()
	if want != "" {
		other = chain.MalformedValue(fmt.Errorf("want %s, have a value of the type %s", want, t.describe(id)))
	}
	return func(r *scale.Reader) chain.Value {
		t.skip(r, id)
		return other
	}
}

// optional returns the reader of a value, or of none, which is missing unless rules may do without.
func (t *types) optional(id metadata.TypeID, as schema.Type) reader {
	some, none := t.value(id, as), chain.Value{}
	if as == schema.Maybe || as == schema.Unread || as == schema.HoldReason {
		none = chain.UnreadValue()
	}
	return func(r *scale.Reader) chain.Value {
		if r.Option() {
			return some(r)
		}
		return none
	}
}

// describe names a type in an error.
func (t *types) describe(id metadata.TypeID) string {
	if of := &t.of[id]; len(of.Path) > 0 {
		return strings.Join(of.Path, "::")
	}
	return fmt.Sprint(id)
}

// account returns the reader of an account, nil for another type.
func (t *types) account(id metadata.TypeID) reader {
	if t.octets(id) == chain.AddressSize {
		return func(r *scale.Reader) chain.Value {
			if b := r.Bytes(chain.AddressSize); b != nil {
				return chain.AccountValue(chain.Address20([chain.AddressSize]byte(b)))
			}
			return chain.Value{}
		}
	}
	if t.octets(id) == chain.LongAddressSize && t.of[id].Is("sp_core", "crypto", "AccountId32") {
		return func(r *scale.Reader) chain.Value {
			if b := r.Bytes(chain.LongAddressSize); b != nil {
				return chain.AccountValue(chain.Address32([chain.LongAddressSize]byte(b)))
			}
			return chain.Value{}
		}
	}
	return nil
}

// address returns the reader of an account in one of several forms, or of an account. Only the named forms are read.
func (t *types) address(id metadata.TypeID, forms ...string) reader {
	of := &t.of[id]
	if of.Name() != "MultiAddress" {
		return t.value(id, schema.Account)
	}
	var readers [256]reader
	for i := range of.Variants {
		v := &of.Variants[i]
		for _, form := range forms {
			if v.Name == form && len(v.Fields) == 1 {
				readers[v.Index] = t.value(v.Fields[0].Type, schema.Account)
			}
		}
	}
	other := chain.MalformedValue(fmt.Errorf("want an address, have another form of %s", t.describe(id)))
	return func(r *scale.Reader) chain.Value {
		v := readVariant(r, of)
		switch {
		case v == nil:
		case readers[v.Index] != nil:
			return readers[v.Index](r)
		default:
			t.skipFields(r, v.Fields)
		}
		return other
	}
}

// hash returns the reader of 32 bytes that are not an account, nil for another type.
func (t *types) hash(id metadata.TypeID) reader {
	if t.octets(id) != len(chain.Hash{}) || t.of[id].Is("sp_core", "crypto", "AccountId32") {
		return nil
	}
	return func(r *scale.Reader) chain.Value {
		if b := r.Bytes(len(chain.Hash{})); b != nil {
			return chain.HashValue(chain.Hash(b))
		}
		return chain.Value{}
	}
}

// number returns the reader of an unsigned integer of at most bits bits, nil for another type.
func (t *types) number(id metadata.TypeID, bits int) reader {
	of := &t.of[t.inner(id)]
	switch {
	case of.Kind == metadata.Compact && t.width(of.Element) > 0:
		own := t.width(of.Element)
		return func(r *scale.Reader) chain.Value {
			word := r.CompactWord(own)
			return numberValue(&word, bits)
		}
	case t.width(id) > 0:
		size := t.width(id) / 8
		return func(r *scale.Reader) chain.Value {
			var word [32]byte
			for i, b := range r.Bytes(size) {
				word[len(word)-1-i] = b
			}
			return numberValue(&word, bits)
		}
	}
	return nil
}

// width returns the number of bits of an unsigned integer, 0 for another type.
func (t *types) width(id metadata.TypeID) int {
	of := &t.of[t.inner(id)]
	switch {
	case of.Is("primitive_types", "U256"):
		return 256
	case of.Kind == metadata.Primitive && of.Primitive >= metadata.U8 && of.Primitive <= metadata.U256:
		return primitiveBits(of.Primitive)
	}
	return 0
}

func numberValue(word *[32]byte, bits int) chain.Value {
	for _, b := range word[:len(word)-bits/8] {
		if b != 0 {
			return chain.MalformedValue(fmt.Errorf("%v is more than %d bits", chain.NumberValue(*word), bits))
		}
	}
	return chain.NumberValue(*word)
}

// names are the names of variants without content, by index; "" for others.
type names [256]string

// basic returns the names of a type whose variants have no content, nil for another type.
func (t *types) basic(id metadata.TypeID) *names {
	if !t.isBasic(id) {
		return nil
	}
	var list names
	for _, v := range t.of[t.inner(id)].Variants {
		list[v.Index] = v.Name
	}
	return &list
}

// isBasic reports whether the variants of a type have no content.
func (t *types) isBasic(id metadata.TypeID) bool {
	of := &t.of[t.inner(id)]
	for i := range of.Variants {
		for _, f := range of.Variants[i].Fields {
			if t.sizes[f.Type] != 0 {
				return false
			}
		}
	}
	return of.Kind == metadata.Variant && len(of.Variants) > 0
}

// read reads which variant follows.
func (n *names) read(r *scale.Reader) string {
	index := r.U8()
	if n[index] == "" {
		r.Fail("unknown variant %d", index)
	}
	return n[index]
}

// destination returns the reader of the destination of an amount, nil for another type: 1 if it is reserved there.
func (t *types) destination(id metadata.TypeID) reader {
	of := t.basic(id)
	if of == nil {
		return nil
	}
	return func(r *scale.Reader) chain.Value {
		reserved, err := jsonread.Destination(of.read(r))
		if err != nil {
			return chain.MalformedValue(err)
		}
		return chain.Uint64Value(reserved)
	}
}

// text returns the reader of a value of any type as its text.
func (t *types) text(id metadata.TypeID) reader {
	return func(r *scale.Reader) chain.Value {
		w := scalejson.Writer{Reader: r}
		t.codec.Value(&w, id)
		if r.Err() == nil && len(w.Text) > schema.MaxText {
			return chain.MalformedValue(schema.ErrLongText)
		}
		return chain.TextValue(string(w.Text))
	}
}

// holdReason returns the reader of why an amount is held.
func (t *types) holdReason(id metadata.TypeID) reader {
	return func(r *scale.Reader) chain.Value {
		at := r.At()
		if t.skip(r, id); r.Err() == nil {
			if v, ok := t.json(scale.NewReader(r.Since(at)), id); ok {
				return jsonread.HoldReason(v)
			}
		}
		return chain.UnreadValue()
	}
}
