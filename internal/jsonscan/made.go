package jsonscan

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// A value that was made has the brackets, commas and keys of JSON text, so that one
// reader walks both. Bytes in it are a leaf: the byte leaf, in which form gateways
// write them, how many they are, and the bytes. JSON text has the byte leaf nowhere:
// the scanner refuses it in a string and outside of one, unless the text was proved or
// made.
const leaf = '\x01'

// leafHead is how many bytes a leaf has before its own.
const leafHead = 1 + 1 + 8

// The forms in which gateways write a leaf.
const (
	hexForm     = 'x'
	decimalForm = 'd'
)

// leafEnd is the index after the leaf that begins at text[i].
func leafEnd(text string, i int) int { return i + leafHead + int(load(text, i+2)) }

// OfBytes makes the value that gateways write as 0x and hex digits, such as an address.
func OfBytes(bytes []byte) Value { return ofLeaf(hexForm, bytes) }

// OfInteger makes the number, most significant byte first, that gateways write as a
// string of decimal digits.
func OfInteger(bytes []byte) Value { return ofLeaf(decimalForm, bytes) }

func ofLeaf(form byte, bytes []byte) Value {
	text := make([]byte, 0, leafHead+len(bytes))
	text = binary.LittleEndian.AppendUint64(append(text, leaf, form), uint64(len(bytes)))
	return Value{string(append(text, bytes...))}
}

// OfText makes a string.
func OfText(text string) Value { return Value{quoted(text)} }

// OfBool makes a bool.
func OfBool(b bool) Value { return Value{strconv.FormatBool(b)} }

// OfNull makes a null.
func OfNull() Value { return Value{"null"} }

// OfArray makes an array. None of its elements is absent.
func OfArray(elements ...Value) Value {
	var b strings.Builder
	b.WriteByte('[')
	for i, element := range elements {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(element.text)
	}
	b.WriteByte(']')
	return Value{b.String()}
}

// Field is a member of an object that is to be made.
type Field struct {
	Key   string
	Value Value
}

// OfObject makes an object. None of its members is absent, and no two have one key.
func OfObject(fields ...Field) Value {
	var b strings.Builder
	b.WriteByte('{')
	for i, field := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(field.Key))
		b.WriteByte(':')
		b.WriteString(field.Value.text)
	}
	b.WriteByte('}')
	return Value{b.String()}
}

func quoted(text string) string {
	out, _ := json.Marshal(text) // a string has no error
	return string(out)
}

// Bytes are those of a value that [OfBytes] made; ok is false for any other, also for
// hex digits in a text.
func (v Value) Bytes() (bytes string, ok bool) {
	if v.text == "" || v.text[0] != leaf || v.text[1] != hexForm {
		return "", false
	}
	return v.text[leafHead:], true
}

// Integer are the bytes of a number, most significant first, that [OfInteger] or [OfBytes]
// made; ok is false for any other, also for digits in a text.
func (v Value) Integer() (bytes string, ok bool) {
	if v.text == "" || v.text[0] != leaf {
		return "", false
	}
	return v.text[leafHead:], true
}

// written is a text with its leaves as the strings that gateways write.
func written(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, leaf)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := leafEnd(text, i)
		b.WriteString(text[:i] + `"` + leafText(text[i:end]) + `"`)
		text = text[end:]
	}
}

// leafText is what gateways write of a leaf.
func leafText(text string) string {
	bytes := []byte(text[leafHead:])
	if text[1] == hexForm {
		return "0x" + hex.EncodeToString(bytes)
	}
	return new(big.Int).SetBytes(bytes).String()
}
