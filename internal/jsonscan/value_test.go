package jsonscan_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

func TestKind(t *testing.T) {
	for text, test := range map[string]struct {
		kind jsonscan.Kind
		name string
	}{
		`null`:  {jsonscan.Null, "null"},
		`true`:  {jsonscan.Bool, "a bool"},
		`false`: {jsonscan.Bool, "a bool"},
		`0`:     {jsonscan.Number, "a number"},
		`-1.5`:  {jsonscan.Number, "a number"},
		`""`:    {jsonscan.String, "a string"},
		`"0"`:   {jsonscan.String, "a string"},
		`[]`:    {jsonscan.Array, "an array"},
		`{}`:    {jsonscan.Object, "an object"},
	} {
		t.Run(text, func(t *testing.T) {
			for _, v := range []jsonscan.Value{
				parse(t, text),
				parse(t, " \n"+text+"\t "),
				parse(t, `[ `+text+` ]`).Index(0),
				parse(t, `{"a" : `+text+` }`).Member("a"),
			} {
				require.Equal(t, test.kind, v.Kind())
				require.Equal(t, test.name, v.Kind().String())
				require.Equal(t, text, v.Raw())
			}
		})
	}
}

func TestAbsent(t *testing.T) {
	var absent jsonscan.Value
	require.Equal(t, jsonscan.Absent, absent.Kind())
	require.Equal(t, "absent", absent.Kind().String())
	require.Empty(t, absent.Raw())
	requireNothingIn(t, absent)
	s := absent.Scanner()
	s.Skip()
	require.Equal(t, &jsonscan.SyntaxError{Offset: 0, Reason: "the text ends too early"}, s.Err())
}

// A look into a value of another kind finds nothing.
func TestOtherKinds(t *testing.T) {
	for _, text := range []string{`null`, `true`, `1`, `"{}"`, `"[]"`, `[]`, `{}`} {
		t.Run(text, func(t *testing.T) {
			v := parse(t, text)
			for key := range v.Members() {
				require.Fail(t, "found a member", key)
			}
			for element := range v.Elements() {
				require.Fail(t, "found an element", element.Raw())
			}
			requireNoParts(t, v)
			if v.Kind() != jsonscan.String {
				requireNoText(t, v)
			}
			if v.Kind() != jsonscan.Bool {
				requireNoBool(t, v)
			}
		})
	}
}

func requireNothingIn(t *testing.T, v jsonscan.Value) {
	t.Helper()
	requireNoParts(t, v)
	requireNoText(t, v)
	requireNoBool(t, v)
}

func requireNoText(t *testing.T, v jsonscan.Value) {
	t.Helper()
	text, ok := v.Text()
	require.False(t, ok, "Text of %s", v.Raw())
	require.Empty(t, text)
}

func requireNoBool(t *testing.T, v jsonscan.Value) {
	t.Helper()
	value, ok := v.Bool()
	require.False(t, ok, "Bool of %s", v.Raw())
	require.False(t, value)
}

func requireNoParts(t *testing.T, v jsonscan.Value) {
	t.Helper()
	require.Equal(t, jsonscan.Value{}, v.Member("a"))
	require.Equal(t, jsonscan.Value{}, v.Member(""))
	require.Equal(t, jsonscan.Value{}, v.Index(0))
	require.Equal(t, jsonscan.Value{}, v.Member("a").Index(0).Member("b"), "a look into what is absent")
	key, member, ok := v.Only()
	require.False(t, ok, "Only of %s", v.Raw())
	require.Empty(t, key)
	require.Equal(t, jsonscan.Value{}, member)
}

func TestBool(t *testing.T) {
	for text, want := range map[string]bool{`true`: true, `false`: false} {
		value, ok := parse(t, text).Bool()
		require.True(t, ok, text)
		require.Equal(t, want, value, text)
	}
}

func TestMember(t *testing.T) {
	v := parse(t, `{"a": 1, "b": {"a": 2, "c": [3]}, "": 4, "\u0065\n": 5, "null": null}`)
	for name, test := range map[string]struct {
		have jsonscan.Value
		want string
	}{
		"first":            {v.Member("a"), `1`},
		"object":           {v.Member("b"), `{"a": 2, "c": [3]}`},
		"nested":           {v.Member("b").Member("a"), `2`},
		"nested further":   {v.Member("b").Member("c").Index(0), `3`},
		"empty key":        {v.Member(""), `4`},
		"escaped key":      {v.Member("e\n"), `5`},
		"null":             {v.Member("null"), `null`},
		"as it is written": {v.Member(`\u0065\n`), ``},
		"of a child":       {v.Member("c"), ``},
		"in other case":    {v.Member("A"), ``},
		"of a number":      {v.Member("a").Member("a"), ``},
		"index":            {v.Index(0), ``},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, test.have.Raw()) })
	}
}

func TestIndex(t *testing.T) {
	v := parse(t, `[ 10 , [11, 12], {"a": 13} ]`)
	for name, test := range map[string]struct {
		have jsonscan.Value
		want string
	}{
		"first":        {v.Index(0), `10`},
		"middle":       {v.Index(1), `[11, 12]`},
		"nested":       {v.Index(1).Index(1), `12`},
		"last":         {v.Index(2), `{"a": 13}`},
		"after last":   {v.Index(3), ``},
		"negative":     {v.Index(-1), ``},
		"of an object": {v.Index(2).Index(0), ``},
		"member":       {v.Member("a"), ``},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, test.have.Raw()) })
	}
}

func TestOnly(t *testing.T) {
	for name, test := range map[string]struct {
		text, key, member string
		ok                bool
	}{
		"one":             {`{ "eip1559" : {"nonce":1} }`, "eip1559", `{"nonce":1}`, true},
		"one, nested":     {`{"a":{"b":1,"c":2}}`, "a", `{"b":1,"c":2}`, true},
		"one, empty":      {`{"":null}`, "", `null`, true},
		"none":            {`{}`, "", "", false},
		"two":             {`{"a":1,"b":2}`, "", "", false},
		"array":           {`[1]`, "", "", false},
		"string":          {`"a"`, "", "", false},
		"escaped":         {`{"\u0061":"b"}`, "a", `"b"`, true},
		"object in array": {`[{"a":1}]`, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			key, member, ok := parse(t, test.text).Only()
			require.Equal(t, test.ok, ok)
			require.Equal(t, test.key, key)
			require.Equal(t, test.member, member.Raw())
		})
	}
}

func TestMembersInOrder(t *testing.T) {
	v := parse(t, `{"z": {"inner":{"x":1}}, "a": [1], "m": "\n"}`)
	for range 2 { // a value can be walked again
		var have []string
		for key, member := range v.Members() {
			for inner := range member.Members() { // and inside of a walk
				require.Equal(t, "inner", inner)
			}
			have = append(have, key+"="+member.Raw())
		}
		require.Equal(t, []string{`z={"inner":{"x":1}}`, `a=[1]`, `m="\n"`}, have)
	}
}

func TestElementsInOrder(t *testing.T) {
	v := parse(t, `[ [1 ,2], "a" , null,{"b":3}]`)
	for range 2 {
		var have []string
		for element := range v.Elements() {
			for range element.Elements() {
			}
			have = append(have, element.Raw())
		}
		require.Equal(t, []string{`[1 ,2]`, `"a"`, `null`, `{"b":3}`}, have)
	}
}

func TestEarlyBreak(t *testing.T) {
	n := 0
	for key := range parse(t, `{"a":1,"b":2,"c":3}`).Members() {
		n++
		if key == "b" {
			break
		}
	}
	require.Equal(t, 2, n, "members walked")

	n = 0
	for element := range parse(t, `[1,2,3]`).Elements() {
		n++
		if element.Raw() == "2" {
			break
		}
	}
	require.Equal(t, 2, n, "elements walked")
}

func TestValueScanner(t *testing.T) {
	v := parse(t, `[0, {"a": {"b": [true]}, "c": {"d": 1}, "e": "\u0066"}]`).Index(1)
	s := v.Scanner()
	var have []string
	s.Object()
	for s.Member() {
		switch s.Key() {
		case "a":
			have = append(have, s.Value().Member("b").Raw())
		case "e":
			have = append(have, s.Text())
		default:
			s.Skip()
		}
	}
	require.NoError(t, s.Err())
	require.Equal(t, []string{`[true]`, `f`}, have)

	walked := v.Scanner()
	walk(&walked)
	require.NoError(t, walked.Err())
}

// A scanner of a value counts its offsets in that value.
func TestValueScannerError(t *testing.T) {
	s := parse(t, `[0, {"a": 1}]`).Index(1).Scanner()
	s.Object()
	require.True(t, s.Member())
	s.Array()
	require.Equal(t, &jsonscan.SyntaxError{Offset: len(`{"a": `), Reason: "want an array"}, s.Err())
}

// Two scanners of one value do not disturb each other, nor the value.
func TestValueScannersAreIndependent(t *testing.T) {
	v := parse(t, `[1,2]`)
	first, second := v.Scanner(), v.Scanner()
	for _, s := range []*jsonscan.Scanner{&first, &second} {
		s.Array()
	}
	for _, want := range []string{"1", "2"} {
		for _, s := range []*jsonscan.Scanner{&first, &second} {
			require.True(t, s.Element())
			require.Equal(t, want, s.Value().Raw())
		}
	}
	require.Equal(t, `[1,2]`, v.Raw())
}

func TestExcerpt(t *testing.T) {
	as := strings.Repeat("a", 78)
	for name, test := range map[string]struct{ text, want string }{
		"empty":                 {"", ""},
		"short":                 {"short", "short"},
		"80 bytes":              {as + "bc", as + "bc"},
		"81 bytes":              {as + "bcd", as + "bc…"},
		"long":                  {as + strings.Repeat("bc", 1000), as + "bc…"},
		"80 bytes, wide at end": {as + "é", as + "é"},
		"cut in a character":    {as + "bé and more", as + "b…"},
		"cut after a character": {as + "é and more", as + "é…"},
		"cut in an emoji":       {as + "😀 and more", as + "…"},
		"not UTF-8 and long":    {"\xff" + as + "bcd", as + "b…"},
	} {
		t.Run(name, func(t *testing.T) {
			have := jsonscan.Excerpt(test.text)
			require.Equal(t, test.want, have)
			require.True(t, utf8.ValidString(have))
		})
	}
}
