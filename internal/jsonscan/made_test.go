package jsonscan_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

// A value that was made is read like the text that a gateway writes.
func TestMade(t *testing.T) {
	hostile := []byte{1, 0, '"', ' ', ',', '}', 1, ' '} // also what has a meaning in text
	made := jsonscan.OfObject(
		jsonscan.Field{Key: `a "key"`, Value: jsonscan.OfBytes(hostile)},
		jsonscan.Field{Key: "list", Value: jsonscan.OfArray(jsonscan.OfBytes(nil), jsonscan.OfNull(), jsonscan.OfBool(true), jsonscan.OfInteger(hostile), jsonscan.OfBytes(hostile))},
		jsonscan.Field{Key: "empty", Value: jsonscan.OfArray()},
		jsonscan.Field{Key: "none", Value: jsonscan.OfObject()},
		jsonscan.Field{Key: "text", Value: jsonscan.OfText("a \x01 \" \\ <é>")},
	)
	const want = `{"a \"key\"":"0x010022202c7d0120","list":["0x",null,true,"72095115618615584","0x010022202c7d0120"],
		"empty":[],"none":{},"text":"a \u0001 \" \\ <é>"}`
	require.JSONEq(t, want, made.Raw())
	require.True(t, json.Valid([]byte(made.Raw())))

	parsed := parse(t, made.Raw())
	requireAlike(t, parsed, made)
	have, ok := made.Member("list").Index(4).Bytes()
	require.True(t, ok)
	require.Equal(t, string(hostile), have)
	have, ok = made.Member("list").Index(3).Integer()
	require.True(t, ok)
	require.Equal(t, string(hostile), have)
	for what, v := range map[string]jsonscan.Value{"digits in a text": parsed.Member("list").Index(4), "a number": made.Member("list").Index(3), "nothing": {}} {
		_, ok = v.Bytes()
		require.False(t, ok, "%s", what)
	}
	_, ok = parsed.Member("list").Index(3).Integer()
	require.False(t, ok)
}

// requireAlike compares what two values say, by all ways in.
func requireAlike(t *testing.T, want, have jsonscan.Value) {
	t.Helper()
	require.Equal(t, want.Kind(), have.Kind())
	require.Equal(t, want.Raw(), have.Raw())
	wantText, wantOK := want.Text()
	haveText, haveOK := have.Text()
	require.Equal(t, wantText, haveText)
	require.Equal(t, wantOK, haveOK)
	wantBool, _ := want.Bool()
	haveBool, _ := have.Bool()
	require.Equal(t, wantBool, haveBool)
	s := have.Scanner()
	require.Equal(t, want.Kind() == jsonscan.String, s.IsString())
	if s.IsString() {
		require.Equal(t, wantText, s.Text())
		s = have.Scanner()
	}
	mark := s.Mark()
	s.Skip()
	require.Equal(t, have, s.Since(mark))
	require.NoError(t, s.Err())
	n := 0
	for key, member := range want.Members() {
		requireAlike(t, member, have.Member(key))
		n++
	}
	for element := range want.Elements() {
		requireAlike(t, element, have.Index(n))
		n++
	}
	for range have.Members() {
		n--
	}
	for range have.Elements() {
		n--
	}
	require.Zero(t, n)
}

// No text is taken for a value that was made.
func TestTextIsNotMade(t *testing.T) {
	const leaf = "\x01x\x01\x00\x00\x00\x00\x00\x00\x00x"
	for _, text := range []string{leaf, "[" + leaf + "]", `{"a":` + leaf + "}", `"` + leaf + `"`, `{"` + leaf + `":1}`, "[1," + leaf + "]", "\x01"} {
		_, err := jsonscan.Parse(text)
		requireSyntaxError(t, err, text)
		requireSyntaxError(t, jsonscan.Scan(text, walk), text)
		requireSyntaxError(t, jsonscan.Scan(text, func(s *jsonscan.Scanner) {
			require.False(t, s.IsString() && text[0] != '"')
			s.Text()
		}), text)
	}
}
