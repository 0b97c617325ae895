package jsonscan

import "encoding/json"

// OfText returns a string.
func OfText(text string) Value {
	out, _ := json.Marshal(text) // never fails for a string
	return Value{string(out)}
}

// OfNull returns null.
func OfNull() Value { return Value{"null"} }

// OfMember returns an object with one member, which must not be absent.
func OfMember(key string, member Value) Value {
	return Value{"{" + OfText(key).text + ":" + member.text + "}"}
}
