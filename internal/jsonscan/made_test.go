package jsonscan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

// A value that was made is read like the text that a gateway writes.
func TestMade(t *testing.T) {
	const hostile = "a \x01 \" \\ <é>,}"
	text, isText := jsonscan.OfText(hostile).Text()
	require.True(t, isText)
	require.Equal(t, hostile, text)
	for want, made := range map[string]jsonscan.Value{
		`null`:                    jsonscan.OfNull(),
		`"a \u0001 \" \\ <é>,}"`:  jsonscan.OfText(hostile),
		`{"a \"key\"":{"id":""}}`: jsonscan.OfMember(`a "key"`, jsonscan.OfMember("id", jsonscan.OfText(""))),
	} {
		require.JSONEq(t, want, made.Raw())
		require.Equal(t, parse(t, made.Raw()), made)
	}
}
