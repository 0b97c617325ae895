package archive

import (
	"errors"
	"io/fs"
	"math"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

func TestSplit(t *testing.T) {
	h := func(first, last uint64) chain.Heights { return chain.Heights{First: first, Last: last} }
	for _, c := range []struct {
		whole chain.Heights
		size  uint64
		want  []chain.Heights
	}{
		{h(0, 0), 10, []chain.Heights{h(0, 0)}},
		{h(3, 9), 10, []chain.Heights{h(3, 9)}},
		{h(3, 10), 10, []chain.Heights{h(3, 9), h(10, 10)}},
		{h(0, 25), 10, []chain.Heights{h(0, 9), h(10, 19), h(20, 25)}},
		{h(7, 9), 1, []chain.Heights{h(7, 7), h(8, 8), h(9, 9)}},
		{h(math.MaxUint64-6, math.MaxUint64), 10, []chain.Heights{h(math.MaxUint64-6, math.MaxUint64-6), h(math.MaxUint64-5, math.MaxUint64)}},
	} {
		require.Equal(t, c.want, Split(c.whole, c.size), "%v by %d", c.whole, c.size)
	}
}

func TestAccounts(t *testing.T) {
	var all []chain.Address
	for i := range maxAccounts {
		all = append(all, chain.Address20([20]byte{byte(maxAccounts - i)}))
	}
	given := append(all[:len(all):len(all)], all...)
	sorted, err := Accounts(given)
	require.NoError(t, err)
	require.Len(t, sorted, maxAccounts)
	for i := range sorted[1:] {
		require.Negative(t, sorted[i].Compare(sorted[i+1]))
	}
	require.Equal(t, all, given[:len(all)], "the caller's list keeps its order")
	_, err = Accounts(append(given, chain.Address20([20]byte{255})))
	require.EqualError(t, err, "101 accounts exceed the limit of 100 in an archive")
}

type sealed struct {
	Name string `json:"name"`
	Own  string `json:"sha256"`
}

func (s *sealed) seal() (string, error) { return Seal(s, &s.Own) }

func TestSeal(t *testing.T) {
	text, err := (&sealed{Name: "one"}).seal()
	require.NoError(t, err)
	const sum = "0f6b82abafd5fbf7f6a34058a3da20673d05c37b4fbb4fcfb4b3d85444aa2c0a" // of the text with an empty checksum, by sha256sum
	require.Equal(t, "{\n \"name\": \"one\",\n \"sha256\": \""+sum+"\"\n}\n", text)
	require.NoError(t, CheckSeal(text, (&sealed{"one", sum}).seal))
	for i := range text {
		for _, changed := range []string{text[:i] + text[i+1:], text[:i] + "x" + text[i:]} {
			require.ErrorIs(t, CheckSeal(changed, (&sealed{Name: "one"}).seal), errSeal)
		}
	}
	_, err = Seal(make(chan int), new(string))
	require.Error(t, err)
}

func TestFindings(t *testing.T) {
	kind := errors.New("damaged")
	var f Findings
	require.NoError(t, f.Err("kept", kind))
	listed := map[string]bool{"a/1.json": true, "a/2.json": true, "b": true}
	files := fstest.MapFS{ManifestPath: {}, StampPath: {}, "a/1.json": {}, "a/2.json/x": {}, "a/3.json": {}, "b": {Mode: fs.ModeNamedPipe}}
	require.NoError(t, f.AddStrangers(files, func(path string) bool { return listed[path] }))
	err := f.Err("kept", kind)
	require.ErrorIs(t, err, kind)
	require.EqualError(t, err, "kept: damaged: a/2.json: not a regular file; a/2.json/x: not in the manifest; a/3.json: not in the manifest; b: not a regular file")
	for range maxShown {
		f.Add("another")
	}
	require.ErrorContains(t, f.Err("kept", kind), "another; and 4 more")
}

func TestPieceOf(t *testing.T) { // the sum by sha256sum
	want := Piece{"blocks/1.json", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
	require.Equal(t, want, PieceOf("blocks/1.json", "abc"))
	require.Equal(t, want, PieceOf("blocks/1.json", []byte("abc")))
}

func TestRangesRefused(t *testing.T) {
	require.NoError(t, CheckRange(7, 7))
	require.EqualError(t, CheckRange(8, 7), "blocks 8 to 7: the range ends before it begins")
	require.EqualError(t, AlreadyContains("kept", 3, 9, []string{"0x12"}),
		"kept already contains blocks 3 to 9 with the balances of 1 accounts. Record into another directory.")
}
