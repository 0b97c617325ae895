package answers_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/answers"
)

// A balance is that of the file; without a height it is at the head.
func TestBalance(t *testing.T) {
	ctx := context.Background()
	who := account(t)
	key := hex.EncodeToString(who.Bytes())
	directory := filepath.Join(recordings, "moonbeam-2100")
	a, err := answers.OpenDirectory(directory)
	require.NoError(t, err)
	path := filepath.Join(directory, "balance-info", "0x"+key, "9.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var want struct{ Free, Reserved string }
	require.NoError(t, json.Unmarshal(text, &want))
	b, err := a.Balance(ctx, who, chain.Some(uint64(9)))
	require.NoError(t, err)
	require.Equal(t, []string{want.Free, want.Reserved, "9"}, []string{b.Value.Free.String(), b.Value.Reserved.String(), fmt.Sprint(b.At)})
	b, err = a.Balance(ctx, who, chain.Optional[uint64]{})
	require.NoError(t, err)
	require.Equal(t, uint64(27), b.At)

	_, err = a.Balance(ctx, chain.Address20([20]byte{1}), chain.Some(uint64(9)))
	require.ErrorIs(t, err, answers.ErrLacks)
	files := fstest.MapFS{}
	name := func(height int) string { return fmt.Sprintf("balance-info/0x%s/%d.json", key, height) }
	files[name(8)] = &fstest.MapFile{Data: text} // which is at block 9
	files[name(7)] = &fstest.MapFile{Data: []byte(`{}`)}
	broken := answers.New("broken", files)
	for _, height := range []uint64{7, 8} {
		_, err = broken.Balance(ctx, who, chain.Some(height))
		require.ErrorIs(t, err, answers.ErrDamaged)
	}
	_, err = broken.Balance(ctx, who, chain.Optional[uint64]{})
	require.Error(t, err, "it has no blocks")
}

// Without a manifest, a directory may have any name of its account.
func TestBalanceOfAnAccountInAnyForm(t *testing.T) {
	long, short := chain.Address32([32]byte{1, 2}), chain.Address20([20]byte{1: 0xab})
	const answer = `{"at":{"hash":"0x0bd60f707662cd9194b8f962ef421245dfdc957848ff88e8fb4e7f5531223a62","height":"5"},"nonce":"0","free":"7","reserved":"0"}`
	names := map[string]chain.Address{long.SS58(0): long, long.SS58(2): long, long.String(): long, fmt.Sprintf("0x%x", long.Bytes()): long, short.String(): short, short.Plain(): short}
	for name, who := range names {
		a := answers.New("made", fstest.MapFS{"balance-info/" + name + "/5.json": &fstest.MapFile{Data: []byte(answer)}, "balance-info/notes/1.json": &fstest.MapFile{}})
		b, err := a.Balance(t.Context(), who, chain.Some(uint64(5)))
		require.NoError(t, err, name)
		require.Equal(t, "7", b.Value.Free.String())
		_, err = a.Balance(t.Context(), chain.Address32([32]byte{9}), chain.Some(uint64(5)))
		require.ErrorIs(t, err, answers.ErrLacks)
	}
}

// Without a height it is at the head in segments, too.
func TestBalanceAtTheHeadOfSegments(t *testing.T) {
	gateway, _ := served(t, moonbeam(t))
	directory := recordedWith(t, gateway, answers.WithSegments(answers.RecordOptions{First: 3, Last: 20, Accounts: []chain.Address{account(t)}}, 10))
	a := opened(t, directory)
	head, err := a.Balance(context.Background(), account(t), chain.Optional[uint64]{})
	require.NoError(t, err)
	want, err := a.Balance(context.Background(), account(t), chain.Some(uint64(20)))
	require.NoError(t, err)
	require.Equal(t, want, head)
	require.Equal(t, uint64(20), head.At)
}
