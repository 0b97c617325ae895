package jsonscan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

func TestSyntaxErrors(t *testing.T) {
	const early = "the text ends too early"
	for name, test := range map[string]struct {
		text   string
		offset int
		reason string
	}{
		"empty":                      {``, 0, early},
		"white space alone":          {"  \n", 3, early},
		"BOM":                        {"\uFEFF{}", 0, "want a value"},
		"NUL":                        {"\x00", 0, "want a value"},
		"page of HTML":               {"<html>", 0, "want a value"},
		"misspelt word":              {`[nul]`, 1, "want a value"},
		"word cut short":             {`[1,fals`, 3, "want a value"},
		"word too long":              {`truex`, 4, "text after the end of the value"},
		"leading zero":               {`[01]`, 1, "a malformed number"},
		"leading zero after minus":   {`-01`, 1, "a malformed number"},
		"point without digits":       {`[1.]`, 3, "a malformed number"},
		"exponent without digits":    {`[1e]`, 3, "a malformed number"},
		"exponent sign alone":        {`[1e+]`, 4, "a malformed number"},
		"minus alone":                {`[-]`, 2, "a malformed number"},
		"minus at the end":           {`-`, 1, early},
		"point at the end":           {`1.`, 2, early},
		"exponent at the end":        {`1e`, 2, early},
		"plus":                       {`[+1]`, 1, "want a value"},
		"point first":                {`.5`, 0, "want a value"},
		"unclosed string":            {`["abc`, 5, early},
		"unclosed long string":       {`["abcdefghijklmnop`, 18, early},
		"tab in a string":            {"[\"a\tb\"]", 3, "a control character inside a string"},
		"bad escape":                 {`["ab\x"]`, 4, "a backslash that begins no escape"},
		"bad unicode escape":         {`["\u12g4"]`, 2, "a backslash that begins no escape"},
		"second escape is bad":       {`["\n\y"]`, 4, "a backslash that begins no escape"},
		"lone surrogate":             {`["a\ud800"]`, 3, "a backslash that begins no escape"},
		"not UTF-8":                  {"[1,\"abc\xff\"]", 3, "a string that is not UTF-8"},
		"key not UTF-8":              {"{\"a\xff\":1}", 1, "a string that is not UTF-8"},
		"trailing comma in array":    {`[1,]`, 3, "want a value after a comma"},
		"trailing comma in object":   {`{"a":1,}`, 7, "want a key in quotes"},
		"no comma in array":          {`[1 2]`, 3, "want , or ] in an array"},
		"no comma in object":         {`{"a":1 "b":2}`, 7, "want , or } in an object"},
		"array closed by a brace":    {`[1}`, 2, "want , or ] in an array"},
		"object closed by a bracket": {`{"a":1]`, 6, "want , or } in an object"},
		"key without quotes":         {`{a:1}`, 1, "want a key in quotes"},
		"key without colon":          {`{"a" 1}`, 5, "want : after a key"},
		"key at the end":             {`{"a"`, 4, early},
		"colon at the end":           {`{"a": `, 6, early},
		"no value":                   {`{"a":}`, 5, "want a value"},
		"open array":                 {`[`, 1, early},
		"open array, one element":    {`[1`, 2, early},
		"open object":                {`{`, 1, early},
		"open object, one member":    {`{"a":1 `, 7, early},
		"key twice":                  {`{"a":1, "a":2}`, 8, `key "a" twice in one object`},
		"key twice, escaped":         {`{"a\n":1,"\u0061\n":2}`, 9, `key "a\n" twice in one object`},
		"long key twice":             {`{"` + long + `":1,"` + long + `":2}`, 106, `key "` + long[:80] + `…" twice in one object`},
		"second value":               {`{} {}`, 3, "text after the end of the value"},
		"NUL after the value":        {"1\x00", 1, "text after the end of the value"},
		"stray bracket":              {`[1]]`, 3, "text after the end of the value"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := jsonscan.Parse(test.text)
			require.Equal(t, &jsonscan.SyntaxError{Offset: test.offset, Reason: test.reason}, err)
		})
	}
}

var long = strings.Repeat("0123456789", 10)

// A walk finds most mistakes where Parse does, with the same words.
func TestSyntaxErrorsOfWalks(t *testing.T) {
	for name, text := range malformed {
		t.Run(name, func(t *testing.T) {
			_, err := jsonscan.Parse(text)
			parsed := requireSyntaxError(t, err, text)
			walked := requireSyntaxError(t, jsonscan.Scan(text, walk), text)
			require.Equal(t, parsed.Offset, walked.Offset)
			if walked.Reason != "want a value after a comma" { // a walk knows more
				require.Equal(t, parsed.Reason, walked.Reason)
			}
		})
	}
}

// The first error is reported.
func TestFirstSyntaxError(t *testing.T) {
	_, err := jsonscan.Parse(`[1, {"a": tru, "a": 01}, "\q"`)
	require.Equal(t, &jsonscan.SyntaxError{Offset: len(`[1, {"a": `), Reason: "want a value"}, err)
}

func TestSyntaxErrorText(t *testing.T) {
	_, err := jsonscan.Parse(`{"a":1,}`)
	require.EqualError(t, err, "invalid JSON at byte 7: want a key in quotes")
}
