package jsonscan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

// A value that was made is read like the text that a gateway writes.
func TestMade(t *testing.T) {
	const hostile = "a \x01 \" \\ <é>,}"
	made := jsonscan.OfObject(
		jsonscan.Field{Key: `a "key"`, Value: jsonscan.OfText(hostile)},
		jsonscan.Field{Key: "list", Value: jsonscan.OfArray(jsonscan.OfNull(), jsonscan.OfText(""), jsonscan.OfText(hostile))},
		jsonscan.Field{Key: "empty", Value: jsonscan.OfArray()},
		jsonscan.Field{Key: "none", Value: jsonscan.OfObject()},
	)
	const want = `{"a \"key\"":"a \u0001 \" \\ <é>,}","list":[null,"","a \u0001 \" \\ <é>,}"],"empty":[],"none":{}}`
	require.JSONEq(t, want, made.Raw())
	requireAlike(t, parse(t, made.Raw()), made)
	text, ok := made.Member("list").Index(2).Text()
	require.True(t, ok)
	require.Equal(t, hostile, text)
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
