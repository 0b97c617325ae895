package jsonscan

import (
	"encoding/json"
	"strings"
)

// OfText returns a string.
func OfText(text string) Value { return Value{quoted(text)} }

// OfNull returns null.
func OfNull() Value { return Value{"null"} }

// OfArray returns an array. No element may be absent.
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

// Field is a member of an object to construct.
type Field struct {
	Key   string
	Value Value
}

// OfObject returns an object. No member may be absent, and keys must be unique.
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
	out, _ := json.Marshal(text) // never fails for a string
	return string(out)
}
