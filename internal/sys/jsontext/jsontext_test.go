package jsontext_test

import (
	"encoding/json"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/jsontext"
)

type pair struct {
	Name string `json:"name"`
	List []int  `json:"list"`
}

func TestForms(t *testing.T) {
	line, err := jsontext.Line(pair{"<a & b>", []int{1}})
	require.NoError(t, err)
	require.Equal(t, `{"name":"<a & b>","list":[1]}`, string(line))
	text, err := jsontext.Indented(pair{"a", []int{1}}, "> ")
	require.NoError(t, err)
	require.Equal(t, "{\n>   \"name\": \"a\",\n>   \"list\": [\n>     1\n>   ]\n> }", string(text))
	var out strings.Builder
	require.NoError(t, jsontext.Write(&out, pair{}))
	require.NoError(t, jsontext.WriteLine(&out, pair{}))
	require.Equal(t, "{\n  \"name\": \"\",\n  \"list\": null\n}\n{\"name\":\"\",\"list\":null}\n", out.String())
	require.Error(t, jsontext.Write(&out, math.NaN()))
	_, err = jsontext.Line(func() {})
	require.Error(t, err)
}

// A terminal obeys no character of a document, and who reads it has the same text.
func TestControlsAreEscaped(t *testing.T) {
	const text = "a\x00\x1b\x7f\u0085\u00ad\u200b\u202e\u2066\ufeff\ue000\U000e0001é钱\n"
	line, err := jsontext.Line(text)
	require.NoError(t, err)
	require.Equal(t, `"a\u0000\u001b\u007f\u0085\u00ad\u200b\u202e\u2066\ufeff\ue000\udb40\udc01é钱\n"`, string(line))
	var again string
	require.NoError(t, json.Unmarshal(line, &again))
	require.Equal(t, text, again)
}

func members(names ...string) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for i, name := range names {
			if !yield(name, i) {
				return
			}
		}
	}
}

func TestObject(t *testing.T) {
	for want, names := range map[string][]string{`{}`: nil, `{"b":0}`: {"b"}, `{"b":0,"a\"":1}`: {"b", `a"`}} {
		text, err := jsontext.Object(members(names...))
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	_, err := jsontext.Object(func(yield func(string, any) bool) { yield("a", math.Inf(1)) })
	require.Error(t, err)
}

var errAway = errors.New("away")

// texts are elements; an empty one is an error.
func texts(list ...string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, text := range list {
			var err error
			if text == "" {
				err = errAway
			}
			if !yield([]byte(text), err) {
				return
			}
		}
	}
}

// What is written bit by bit is what encoding/json makes of all of it.
func TestStream(t *testing.T) {
	type whole struct {
		pair
		None []any           `json:"none"`
		Some []pair          `json:"some"`
		Last map[string]bool `json:"last"`
	}
	some := []pair{{"x y", []int{1, 2}}, {"z: ", nil}}
	want, err := json.MarshalIndent(whole{pair{"a", []int{}}, []any{}, some, map[string]bool{"b": true}}, "", "  ")
	require.NoError(t, err)
	wantLine, err := json.Marshal(whole{pair{"a", []int{}}, []any{}, some, map[string]bool{"b": true}})
	require.NoError(t, err)
	for oneLine, want := range map[bool]string{false: string(want) + "\n", true: string(wantLine) + "\n"} {
		var out strings.Builder
		s := jsontext.NewStream(&out, oneLine)
		s.Members(pair{"a", []int{}})
		s.List("none", texts())
		s.List("some", func(yield func([]byte, error) bool) {
			for _, x := range some {
				text, err := jsontext.Line(x)
				if !oneLine {
					text, err = jsontext.Indented(x, jsontext.ElementPrefix)
				}
				if !yield(text, err) {
					return
				}
			}
		})
		s.Members(struct {
			Last map[string]bool `json:"last"`
		}{map[string]bool{"b": true}})
		require.NoError(t, s.Close())
		require.Equal(t, want, out.String())
	}
}

// full takes no more.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errAway }

// What failed does not look whole.
func TestStreamFails(t *testing.T) {
	var out strings.Builder
	s := jsontext.NewStream(&out, false)
	s.Members(pair{})
	s.List("list", texts("1", "", "2"))
	s.List("more", texts("3"))
	s.Members(pair{})
	require.ErrorIs(t, s.Close(), errAway)
	require.False(t, json.Valid([]byte(out.String())))

	s = jsontext.NewStream(&out, true)
	s.Members(math.NaN())
	require.Error(t, s.Close())

	s = jsontext.NewStream(full{}, true)
	s.List("list", texts(slices.Repeat([]string{"123456789"}, 10_000)...))
	require.ErrorIs(t, s.Close(), errAway)
}
