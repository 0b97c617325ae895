package jsonscan_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/jsonscan"
)

const block = `{
	"number": "15000000",
	"author": {"id": "0x01", "extra": [1, 2, {"number": 3}]},
	"extrinsics": [
		{"hash": "0xaa", "events": [{"data": ["1", [2]]}, {"data": []}], "paysFee": true},
		{"paysFee": false, "hash": "0x\u0062b", "events": []}
	],
	"finalized": true
}`

func TestReadSomeSkipOthers(t *testing.T) {
	var number string
	var finalized jsonscan.Value
	var skipped, hashes, data []string
	err := jsonscan.Scan(block, func(s *jsonscan.Scanner) {
		s.Object()
		for s.Member() {
			switch key := s.Key(); key {
			case "number":
				number = s.Text()
			case "finalized":
				finalized = s.Value()
			case "extrinsics":
				s.Array()
				for s.Element() {
					s.Object()
					for s.Member() {
						switch s.Key() {
						case "hash":
							hashes = append(hashes, s.Text())
						case "events":
							s.Array()
							for s.Element() {
								data = append(data, s.Value().Member("data").Raw())
							}
						default:
							s.Skip()
						}
					}
				}
			default:
				skipped = append(skipped, key)
				s.Skip()
			}
		}
	})
	require.NoError(t, err)
	require.Equal(t, "15000000", number)
	require.Equal(t, `true`, finalized.Raw())
	require.Equal(t, []string{"author"}, skipped)
	require.Equal(t, []string{"0xaa", "0xbb"}, hashes)
	require.Equal(t, []string{`["1", [2]]`, `[]`}, data)
}

// Keys are checked across members that are entered, read and skipped.
func TestDuplicatesAcrossWays(t *testing.T) {
	ways := map[string]func(*jsonscan.Scanner){
		"walked": walk,
		"read":   func(s *jsonscan.Scanner) { s.Value() },
		"run":    (*jsonscan.Scanner).Skip,
	}
	for firstName, first := range ways {
		for secondName, second := range ways {
			t.Run(firstName+" then "+secondName, func(t *testing.T) {
				for text, reason := range map[string]string{
					`{"a":{"x":1,"y":2},"b":{"x":1,"y":2}}`:    "",
					`{"a":[{"x":1}],"b":[{"x":1},{"x":2}]}`:    "",
					`{"a":{"x":1},"a":{"y":1}}`:                `key "a" twice in one object`,
					`{"a":{"x":1,"x":2},"b":0}`:                `key "x" twice in one object`,
					`{"a":{"x":{"x":0}},"b":{"x":0,"x":1}}`:    `key "x" twice in one object`,
					`{"a":[{"x":1}],"b":[{"y":1},[{"":0,"":0`:  `key "" twice in one object`,
					`{"a":{"b":1},"b":{"a":1,"b":2,"\u0061":3`: `key "a" twice in one object`,
				} {
					err := jsonscan.Scan(text, func(s *jsonscan.Scanner) {
						s.Object()
						for n := 0; s.Member(); n++ {
							if n == 0 {
								first(s)
							} else {
								second(s)
							}
						}
					})
					if reason == "" {
						require.NoError(t, err, text)
					} else {
						require.Equal(t, reason, requireSyntaxError(t, err, text).Reason, text)
					}
				}
			})
		}
	}
}

func TestPeeking(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:     "object",
		` []`:    "array",
		"\n\"\"": "string",
		`1`:      "",
		`true`:   "",
		` null`:  "",
	} {
		require.NoError(t, jsonscan.Scan(text, func(s *jsonscan.Scanner) {
			for range 2 { // nothing is read
				require.Equal(t, want == "object", s.IsObject(), text)
				require.Equal(t, want == "array", s.IsArray(), text)
				require.Equal(t, want == "string", s.IsString(), text)
			}
			require.Equal(t, strings.TrimSpace(text), s.Value().Raw())
		}))
	}
}

func TestWrongKind(t *testing.T) {
	kinds := map[string]string{
		"null": `null`, "bool": `true`, "number": `-1`, "string": `"a"`, "array": `[1]`, "object": `{"a":1}`,
		"bracket": `]`, "comma": `,`, "letter": `x`, "NUL": "\x00",
	}
	for name, want := range map[string]struct {
		kind, reason string
		read         func(*jsonscan.Scanner)
	}{
		"Object": {"object", "want an object", (*jsonscan.Scanner).Object},
		"Array":  {"array", "want an array", (*jsonscan.Scanner).Array},
		"Text":   {"string", "want a string", func(s *jsonscan.Scanner) { s.Text() }},
	} {
		for kind, inner := range kinds {
			if kind == want.kind {
				continue
			}
			t.Run(name+" of "+kind, func(t *testing.T) {
				text := `{"a": ` + inner + ` }`
				err := jsonscan.Scan(text, func(s *jsonscan.Scanner) {
					s.Object()
					require.True(t, s.Member())
					want.read(s)
					requireNothingMore(t, s)
				})
				require.Equal(t, &jsonscan.SyntaxError{Offset: len(`{"a": `), Reason: want.reason}, err)
			})
		}
	}
}

// requireNothingMore checks that the error of a scanner is sticky.
func requireNothingMore(t *testing.T, s *jsonscan.Scanner) {
	t.Helper()
	first := s.Err()
	require.Error(t, first)
	for range 2 {
		require.False(t, s.IsObject(), "IsObject after an error")
		require.False(t, s.IsArray(), "IsArray after an error")
		require.False(t, s.IsString(), "IsString after an error")
		require.False(t, s.Literal("{", 1), "Literal after an error")
		s.Object()
		require.False(t, s.Member(), "Member after an error")
		s.Array()
		require.False(t, s.Element(), "Element after an error")
		require.Empty(t, s.Text(), "Text after an error")
		require.Equal(t, jsonscan.Value{}, s.Value(), "Value after an error")
		s.Skip()
		s.Back(jsonscan.Mark{})
		require.Equal(t, jsonscan.Value{}, s.Since(jsonscan.Mark{}), "Since after an error")
		require.Same(t, first, s.Err(), "the first error was replaced")
	}
}

func TestStickyError(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		read func(*jsonscan.Scanner)
	}{
		"in a skipped value":   {`[tru, 1]`, func(s *jsonscan.Scanner) { s.Array(); s.Element(); s.Skip() }},
		"in a value":           {`["\q", 1]`, func(s *jsonscan.Scanner) { s.Array(); s.Element(); s.Value() }},
		"in a text":            {`["\q", 1]`, func(s *jsonscan.Scanner) { s.Array(); s.Element(); s.Text() }},
		"in a first key":       {`{a: 1}`, func(s *jsonscan.Scanner) { s.Object(); s.Member() }},
		"in a key":             {`{"\q": 1}`, func(s *jsonscan.Scanner) { s.Object(); s.Member() }},
		"in a second key":      {`{"a": 1, b: 2}`, func(s *jsonscan.Scanner) { s.Object(); s.Member(); s.Skip(); s.Member() }},
		"key twice":            {`{"a": 1, "a": 2}`, func(s *jsonscan.Scanner) { s.Object(); s.Member(); s.Skip(); s.Member() }},
		"no comma in object":   {`{"a": 1 "b"}`, func(s *jsonscan.Scanner) { s.Object(); s.Member(); s.Skip(); s.Member() }},
		"no comma in array":    {`[1 2]`, func(s *jsonscan.Scanner) { s.Array(); s.Element(); s.Skip(); s.Element() }},
		"trailing comma":       {`[1, ]`, func(s *jsonscan.Scanner) { s.Array(); s.Element(); s.Skip(); s.Element() }},
		"object not there":     {`[]`, (*jsonscan.Scanner).Object},
		"array not there":      {`{}`, (*jsonscan.Scanner).Array},
		"opened and ended":     {`[`, func(s *jsonscan.Scanner) { s.Array(); s.Element(); s.Skip() }},
		"value ended":          {`[1, `, func(s *jsonscan.Scanner) { s.Array(); s.Element(); s.Skip(); s.Element(); s.Skip() }},
		"inside of an element": {`[[[{"a":[}]]]]`, walk},
	} {
		t.Run(name, func(t *testing.T) {
			err := jsonscan.Scan(test.text, func(s *jsonscan.Scanner) {
				require.NoError(t, s.Err())
				test.read(s)
				requireNothingMore(t, s)
			})
			requireSyntaxError(t, err, test.text)
		})
	}
}

// Also the key of the member in which the error was is gone.
func TestKeyAfterError(t *testing.T) {
	err := jsonscan.Scan(`{"a": tru}`, func(s *jsonscan.Scanner) {
		s.Object()
		require.True(t, s.Member())
		s.Skip()
		require.Error(t, s.Err())
		require.Empty(t, s.Key(), "after the first error every method returns its zero value")
	})
	require.Error(t, err)
}

// Scan answers for the whole text, also where read stops early.
func TestScanToTheEnd(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		read func(*jsonscan.Scanner)
	}{
		"nothing read of nothing": {``, func(*jsonscan.Scanner) {}},
		"nothing read of a value": {`1`, func(*jsonscan.Scanner) {}},
		"text after the value":    {`1 2`, (*jsonscan.Scanner).Skip},
		"comma after the value":   {`[] ,`, walk},
		"open object":             {`{`, (*jsonscan.Scanner).Object},
		"open array":              {`[ `, (*jsonscan.Scanner).Array},
		"open array, one read":    {`[1`, func(s *jsonscan.Scanner) { s.Array(); s.Element(); s.Skip() }},
		"open object, one read":   {`{"a":1`, func(s *jsonscan.Scanner) { s.Object(); s.Member(); s.Skip() }},
		"member without value":    {`{"a":`, func(s *jsonscan.Scanner) { s.Object(); s.Member() }},
	} {
		t.Run(name, func(t *testing.T) {
			err := jsonscan.Scan(test.text, test.read)
			require.Error(t, err, "accepted %q", test.text)
		})
	}
}

func TestLiteral(t *testing.T) {
	const text = `{"method":{"pallet":"system","method":"Remark"},"data":[ "x" ]}`
	var pallet, method string
	var data jsonscan.Value
	require.NoError(t, jsonscan.Scan(text, func(s *jsonscan.Scanner) {
		require.False(t, s.Literal(`{"data":`, 1), "other text")
		require.False(t, s.Literal(text+` `, 0), "more than there is")
		require.True(t, s.Literal(`{"method":{"pallet":`, 2))
		require.True(t, s.IsString())
		pallet = s.Text()
		require.True(t, s.Literal(`,"method":`, 0))
		method = s.Text()
		require.False(t, s.Literal(`} ,`, -1), "space counts")
		require.True(t, s.Literal(`},"data":`, -1))
		data = s.Value()
		require.True(t, s.Literal(`}`, -1))
		require.False(t, s.Literal(`}`, -1), "at the end of the text")
	}))
	require.Equal(t, "system", pallet)
	require.Equal(t, "Remark", method)
	require.Equal(t, `[ "x" ]`, data.Raw())
}

// What literals enter is nested like what [jsonscan.Scanner.Object] enters.
func TestLiteralDepth(t *testing.T) {
	const opening, closing = `{"a":{"b":`, `}}`
	for levels, fits := range map[int]bool{jsonscan.MaxDepth - 2: true, jsonscan.MaxDepth - 1: false} {
		text := opening + strings.Repeat("[", levels) + strings.Repeat("]", levels) + closing
		have := jsonscan.Scan(text, func(s *jsonscan.Scanner) {
			require.True(t, s.Literal(opening, 2))
			s.Skip()
			s.Literal(closing, -2)
		})
		require.Equal(t, jsonscan.Scan(text, (*jsonscan.Scanner).Skip), have)
		require.Equal(t, fits, have == nil)
	}
	deep := strings.Repeat("[", jsonscan.MaxDepth-1) + opening
	require.ErrorContains(t, jsonscan.Scan(deep, func(s *jsonscan.Scanner) {
		for range jsonscan.MaxDepth - 1 {
			s.Array()
			require.True(t, s.Element())
		}
		mark := s.Mark()
		require.False(t, s.Literal(opening, 2), "it would be too deep")
		require.True(t, s.Literal(`{"a":`, 1))
		s.Back(mark)
		s.Skip()
	}), "nested more than 512 levels deep")
}

func TestMarkAndBack(t *testing.T) {
	require.NoError(t, jsonscan.Scan(`[{"a":1,"b":2},{"b":3,"a":4}]`, func(s *jsonscan.Scanner) {
		s.Array()
		var have []string
		for s.Element() {
			mark := s.Mark()
			if s.Literal(`{"a":`, 1) {
				have = append(have, "a="+s.Value().Raw())
				if s.Literal(`,"b":`, 0) {
					have = append(have, "b="+s.Value().Raw())
					if s.Literal(`}`, -1) {
						continue
					}
				}
			}
			s.Back(mark)
			require.Equal(t, mark, s.Mark())
			have = append(have, s.Value().Raw())
		}
		require.Equal(t, []string{"a=1", "b=2", `{"b":3,"a":4}`}, have)
	}))
}

// A guess that went wrong late leaves nothing behind.
func TestBackAfterGuess(t *testing.T) {
	const text = `[{"a":{"x":[1,{"y":2}]},"c":3}]`
	require.NoError(t, jsonscan.Scan(text, func(s *jsonscan.Scanner) {
		s.Array()
		require.True(t, s.Element())
		mark := s.Mark()
		require.True(t, s.Literal(`{"a":`, 1))
		walk(s)
		require.False(t, s.Literal(`,"b":`, 0))
		s.Back(mark)
		walk(s)
		require.False(t, s.Element())
	}))
}

// Members and elements that were read are read again after going back.
func TestBackOverWhatWasRead(t *testing.T) {
	for name, text := range map[string]string{
		"members":  `{"a":1,"b":{"c":2},"d":3}`,
		"elements": `[1,{"c":2},3]`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, proved := range []bool{false, true} {
				for n := range 4 {
					read := func(s *jsonscan.Scanner) {
						next := s.Element
						if s.IsObject() {
							next = s.Member
							s.Object()
						} else {
							s.Array()
						}
						mark := s.Mark()
						for range n {
							require.True(t, next())
							s.Skip()
						}
						s.Back(mark)
						for n := range 3 {
							require.True(t, next(), "part %d after going back: %v", n, s.Err())
							s.Skip()
						}
						require.False(t, next())
					}
					if proved {
						s := parse(t, text).Scanner()
						read(&s)
						require.NoError(t, s.Err(), "back over %d", n)
					} else {
						require.NoError(t, jsonscan.Scan(text, read), "back over %d", n)
					}
				}
			}
		})
	}
}

func TestSince(t *testing.T) {
	for name, text := range map[string]string{
		"number":                     `{"a":12,"b":0}`,
		"string":                     `{"a":"x","b":0}`,
		"object":                     `{"a":{"x": [1, {"y":"}"}]},"b":0}`,
		"string, space before":       `{"a": "x","b":0}`,
		"object, space before":       "{\"a\" :\n{\"x\":1},\"b\":0}",
		"number, space before":       `{"a":  12,"b":0}`,
		"object, space after":        `{"a":{"x":1} ,"b":0}`,
		"object, space on each side": `{"a": {"x":1} ,"b":0}`,
	} {
		t.Run(name, func(t *testing.T) {
			want := parse(t, text).Member("a")
			for way, read := range map[string]func(*jsonscan.Scanner){
				"skipped":           (*jsonscan.Scanner).Skip,
				"walked":            walk,
				"skipped, then IsX": func(s *jsonscan.Scanner) { s.Skip(); s.IsObject() },
			} {
				require.NoError(t, jsonscan.Scan(text, func(s *jsonscan.Scanner) {
					s.Object()
					require.True(t, s.Member())
					mark := s.Mark()
					read(s)
					have := s.Since(mark)
					require.Equal(t, want.Kind(), have.Kind(), "kind of %q, %s", have.Raw(), way)
					require.Equal(t, want.Raw(), have.Raw(), way)
					for s.Member() {
						s.Skip()
					}
				}))
			}
		})
	}
}

// Scanners are used again; nothing of a text that failed may be left in them.
func TestScansAfterErrors(t *testing.T) {
	for range 100 {
		for _, text := range malformed {
			require.Error(t, jsonscan.Scan(text, walk), "%q", text)
			require.NoError(t, jsonscan.Scan(`{"a":1,"b":[{"c":1}]}`, walk), "after %q", text)
		}
	}
}

func TestScanInsideScan(t *testing.T) {
	var inner []string
	require.NoError(t, jsonscan.Scan(`{"a":"{\"a\":1}","b":"{\"b\":2}"}`, func(s *jsonscan.Scanner) {
		s.Object()
		for s.Member() {
			key := s.Key()
			require.NoError(t, jsonscan.Scan(s.Text(), func(s *jsonscan.Scanner) {
				s.Object()
				for s.Member() {
					require.Equal(t, key, s.Key())
					inner = append(inner, s.Value().Raw())
				}
			}))
		}
	}))
	require.Equal(t, []string{"1", "2"}, inner)
}

func TestScansAtOnce(t *testing.T) {
	var wait sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wait.Go(func() {
			for n := range 200 {
				text := fmt.Sprintf(`{"worker":%d,"round":%d,"list":[{"a":1},{"a":2}]}`, i, n)
				v, err := jsonscan.Parse(text)
				if err == nil && v.Member("round").Raw() != fmt.Sprint(n) {
					err = fmt.Errorf("have %s, want the value of %s", v.Raw(), text)
				}
				if err != nil {
					errs[i] = err
					return
				}
			}
		})
	}
	wait.Wait()
	for i, err := range errs {
		require.NoError(t, err, "worker %d", i)
	}
}
