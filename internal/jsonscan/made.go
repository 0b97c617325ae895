package jsonscan

import (
	"encoding/json"
	"strings"
)

// OfText makes a string.
func OfText(text string) Value { return Value{quoted(text)} }

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
