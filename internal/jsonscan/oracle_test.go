package jsonscan_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

// acceptable is an independent opinion on what wire accepts: what encoding/json
// calls valid, less the things about which wire is stricter.
func acceptable(text string) bool {
	if !json.Valid([]byte(text)) || !utf8.ValidString(text) || hasLoneSurrogate(text) {
		return false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return flatAndUnambiguous(d, 0, 0)
}

// flatAndUnambiguous reads one value of a valid text: nested no deeper than
// MaxDepth, no key twice in one object, and no more than MaxKeys together with
// those of the objects around it, which have open.
func flatAndUnambiguous(d *json.Decoder, depth, open int) bool {
	token := nextToken(d)
	opening, ok := token.(json.Delim)
	if !ok {
		return true
	}
	if depth == jsonscan.MaxDepth {
		return false
	}
	keys := map[string]bool{}
	for d.More() {
		if opening == '{' {
			key := nextToken(d).(string)
			if keys[key] || open == jsonscan.MaxKeys {
				return false
			}
			open++
			keys[key] = true
		}
		if !flatAndUnambiguous(d, depth+1, open) {
			return false
		}
	}
	nextToken(d) // the closing bracket
	return true
}

func nextToken(d *json.Decoder) json.Token {
	token, err := d.Token()
	if err != nil {
		panic("encoding/json calls the text valid, but cannot read it: " + err.Error())
	}
	return token
}

var (
	escapes = regexp.MustCompile(`(?s)\\u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}|\\u[[:xdigit:]]{4}|\\.`)
	half    = regexp.MustCompile(`^\\u[dD][89a-fA-F]..$`)
)

// hasLoneSurrogate looks for half a surrogate pair in a valid text.
func hasLoneSurrogate(text string) bool {
	for _, escape := range escapes.FindAllString(text, -1) {
		if half.MatchString(escape) {
			return true
		}
	}
	return false
}

// walk reads everything that comes next by entering it, where Skip would run
// over it.
func walk(s *jsonscan.Scanner) {
	switch {
	case s.IsObject():
		s.Object()
		for s.Member() {
			walk(s)
		}
	case s.IsArray():
		s.Array()
		for s.Element() {
			walk(s)
		}
	case s.IsString():
		s.Text()
	default:
		s.Skip()
	}
}

// requireVerdict checks that each way to read the text agrees with want.
func requireVerdict(t *testing.T, want bool, text string) {
	t.Helper()
	v, err := jsonscan.Parse(text)
	if want {
		require.NoError(t, err, "Parse refused %.200q", text)
		require.Equal(t, strings.Trim(text, " \t\r\n"), v.Raw(), "Raw is not the text without white space around it")
	} else {
		requireSyntaxError(t, err, text)
		require.Equal(t, jsonscan.Value{}, v, "Parse returned a value with its error for %.200q", text)
	}
	require.Equal(t, want, jsonscan.Scan(text, (*jsonscan.Scanner).Skip) == nil, "accepted by Skip: %.200q", text)
	require.Equal(t, want, jsonscan.Scan(text, walk) == nil, "accepted by a walk: %.200q", text)
}

// requireSyntaxError checks an error's type, and that it points into the text.
func requireSyntaxError(t *testing.T, err error, text string) *jsonscan.SyntaxError {
	t.Helper()
	var syntax *jsonscan.SyntaxError
	require.ErrorAs(t, err, &syntax, "accepted %.200q", text)
	require.GreaterOrEqual(t, syntax.Offset, 0, "%.200q", text)
	require.LessOrEqual(t, syntax.Offset, len(text), "%.200q", text)
	require.NotEmpty(t, syntax.Reason, "%.200q", text)
	return syntax
}

// parse is the value of a text that must be acceptable.
func parse(t *testing.T, text string) jsonscan.Value {
	t.Helper()
	v, err := jsonscan.Parse(text)
	require.NoError(t, err, "Parse refused %.200q", text)
	return v
}

// requireSame checks a value, to its leaves, against what encoding/json made of
// the same text.
func requireSame(t *testing.T, want any, v jsonscan.Value) {
	t.Helper()
	switch want := want.(type) {
	case nil:
		require.Equal(t, jsonscan.Null, v.Kind())
	case bool:
		have, ok := v.Bool()
		require.True(t, ok, "%.200q is no bool", v.Raw())
		require.Equal(t, want, have)
	case json.Number:
		require.Equal(t, jsonscan.Number, v.Kind())
		require.Equal(t, want.String(), v.Raw())
	case string:
		have, ok := v.Text()
		require.True(t, ok, "%.200q is no string", v.Raw())
		require.Equal(t, want, have)
	case []any:
		require.Equal(t, jsonscan.Array, v.Kind())
		n := 0
		for element := range v.Elements() {
			require.Less(t, n, len(want), "more elements than encoding/json has")
			requireSame(t, want[n], element)
			n++
		}
		require.Equal(t, len(want), n, "elements")
	case map[string]any:
		require.Equal(t, jsonscan.Object, v.Kind())
		n := 0
		for key, member := range v.Members() {
			require.Contains(t, want, key)
			requireSame(t, want[key], member)
			n++
		}
		require.Equal(t, len(want), n, "members")
	default:
		require.Fail(t, "encoding/json made something unexpected", "%T", want)
	}
}

// tree is what encoding/json makes of a text that it can read.
func tree(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var want any
	require.NoError(t, d.Decode(&want), "encoding/json refused %.200q", text)
	return want
}
