package app_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

var directory string // of the ledger that tests copy

func TestMain(m *testing.M) {
	var err error
	if directory, err = os.MkdirTemp("", "app-"); err != nil {
		panic(err)
	}
	code := m.Run()
	postgrestest.Stop()
	os.RemoveAll(directory)
	os.Exit(code)
}

// long skips a test that takes seconds, or a database, where only short ones are wanted.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes seconds")
	}
}

// demo is a reader of the demo's 28 blocks.
func demo(t testing.TB) *source.Reader {
	t.Helper()
	src, err := source.Open("demo", source.Options{})
	require.NoError(t, err)
	return &source.Reader{Source: src, Tables: network.BuiltIn()}
}

// filled is a ledger of the demo's blocks at a place: a copy of one that was filled once, where it is a file.
func filled(t testing.TB, place string) string {
	t.Helper()
	if ledger.Postgres(place) {
		return fill(t, place)
	}
	from := filepath.Join(directory, "fees.db")
	oneCopy.Do(func() { fill(t, from) })
	text, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(place, text, 0o600))
	return place
}

// fill stores the demo's blocks in a new ledger at a place.
func fill(t testing.TB, place string) string {
	t.Helper()
	wanted, err := app.PeriodInput{Blocks: "0..27"}.ParseWanted()
	require.NoError(t, err)
	done, err := app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: demo(t)})
	require.NoError(t, err)
	require.EqualValues(t, 28, done.Stored)
	return place
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "fees.db") }

var oneCopy sync.Once

// copied is a new ledger of the demo's blocks.
func copied(t testing.TB) string { return filled(t, file(t)) }

// opened is a ledger open for reading.
func opened(t testing.TB, place string) *app.Ledger {
	t.Helper()
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

// statusOf is how far a ledger is.
func statusOf(t testing.TB, place string) app.Status {
	t.Helper()
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	defer d.Close()
	s, err := d.Status(t.Context())
	require.NoError(t, err)
	return s
}

// sealOf is what a ledger's seal is.
func sealOf(t testing.TB, place string) string {
	t.Helper()
	seal, ok := statusOf(t, place).Seal.Get()
	require.True(t, ok)
	return seal.String()
}

// alter changes a ledger behind its back.
func alter(t testing.TB, place, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", place)
	require.NoError(t, err)
	_, err = db.Exec(statement)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func wanted(t testing.TB, in app.PeriodInput) app.Wanted {
	t.Helper()
	w, err := in.ParseWanted()
	require.NoError(t, err)
	return w
}

func blocks(t testing.TB, text string) app.Wanted { return wanted(t, app.PeriodInput{Blocks: text}) }

func address(t testing.TB, text string) chain.Address {
	t.Helper()
	a, err := chain.ParseAddress(text)
	require.NoError(t, err)
	return a
}

const alith = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"

// write makes a file of a text.
func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// sent is a transaction with what its sender's balance lost, found when the demo was
// recorded: it owes nothing to this program.
type sent struct {
	From    string `json:"from"`
	Family  string `json:"family"` // evm or native
	EVMHash string `json:"ethHash"`
	Hash    string `json:"xtHash"`
	Height  uint64 `json:"height"`
	Index   int    `json:"index"`
	Charged string `json:"charged_wei"`
}

func allSent(t testing.TB) []sent {
	t.Helper()
	text, err := os.ReadFile("../../testdata/recordings/moonbeam-2100/sent.json")
	require.NoError(t, err)
	var list struct{ Sent []sent }
	require.NoError(t, json.Unmarshal(text, &list))
	require.Len(t, list.Sent, 84)
	return list.Sent
}

// charges is the sum of what was charged for those that are wanted, and their number.
func charges(t testing.TB, wanted func(sent) bool) (sum string, count uint64) {
	t.Helper()
	total := new(big.Int)
	for _, s := range allSent(t) {
		if wanted(s) {
			n, ok := new(big.Int).SetString(s.Charged, 10)
			require.True(t, ok)
			total.Add(total, n)
			count++
		}
	}
	return total.String(), count
}

// of reports whether an account sent a transaction.
func of(account string) func(sent) bool {
	return func(s sent) bool { return strings.EqualFold(s.From, account) }
}

// known is the text of what must be known.
func known[T fmt.Stringer](t testing.TB, o chain.Optional[T]) string {
	t.Helper()
	v, ok := o.Get()
	require.True(t, ok)
	return v.String()
}

// recordedBalances are what each account of the demo had after each height, as the gateway
// told when it was recorded.
var recordedBalances = sync.OnceValue(func() map[chain.Address][]chain.Balance {
	r := map[chain.Address][]chain.Balance{}
	file, err := os.Open("../movement/testdata/balances/moonbeam-2100.txt")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var who, free, reserved string
		var height int
		_, scanned := fmt.Sscan(lines.Text(), &who, &height, &free, &reserved)
		account, a := chain.ParseAddress(who)
		has, f := chain.ParseWei(free)
		held, r2 := chain.ParseWei(reserved)
		if err := errors.Join(scanned, a, f, r2); err != nil {
			panic(err)
		}
		r[account] = append(r[account], chain.Balance{Free: has, Reserved: held})
	}
	return r
})

// otherwise is a source that answers some questions otherwise than the one that it has.
type otherwise struct {
	source.Source
	block      func(*chain.Block) error // changes a block
	multiplier func(at uint64) error
	balance    func(chain.Address, uint64) (chain.Balance, error)
}

func (o otherwise) Unwrap() source.Source { return o.Source }

func (o otherwise) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := o.Source.Block(ctx, height)
	if err == nil && o.block != nil {
		changed := *b
		changed.Extrinsics = append([]chain.Extrinsic{}, b.Extrinsics...)
		return &changed, o.block(&changed)
	}
	return b, err
}

func (o otherwise) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	if o.multiplier != nil {
		if err := o.multiplier(at); err != nil {
			return chain.AtBlock[chain.Multiplier]{}, err
		}
	}
	return o.Source.Multiplier(ctx, at)
}

func (o otherwise) Balance(ctx context.Context, account chain.Address, at chain.Optional[uint64]) (none chain.AtBlock[chain.Account], err error) {
	if o.balance == nil {
		return o.Source.(source.Balances).Balance(ctx, account, at)
	}
	height, _ := at.Get()
	have, err := o.balance(account, height)
	return chain.AtBlock[chain.Account]{At: height, Value: chain.Account{Balance: have}}, err
}

// withBalances is the demo with the balances of all its accounts.
func withBalances(t testing.TB) otherwise {
	return otherwise{Source: demo(t).Source, balance: func(account chain.Address, height uint64) (chain.Balance, error) {
		if list := recordedBalances()[account]; list != nil {
			return list[height], nil
		}
		return chain.Balance{}, nil // it was never there
	}}
}

// opens is a source for questions that open one.
func opens(s source.Source) func() (source.Source, error) {
	return func() (source.Source, error) { return s, nil }
}

// leavesNothing fails a test that leaves something in the directory of temporary files.
func leavesNothing(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

// fieldsOf are the fields of a question that an error names.
func fieldsOf(t testing.TB, err error) (fields []app.Field) {
	t.Helper()
	var input *app.InputError
	require.ErrorAs(t, err, &input)
	for _, arg := range input.Args {
		if f, ok := arg.(app.Field); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

// rawBytes decodes hex digits, with or without 0x.
func rawBytes(t testing.TB, digits string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(digits), "0x"))
	require.NoError(t, err)
	return raw
}

func spanOf(first, last uint64) chain.Heights { return chain.Heights{First: first, Last: last} }

func (s *sent) place() string  { return fmt.Sprintf("%d-%d", s.Height, s.Index) }
func (s *sent) height() string { return fmt.Sprint(s.Height) }
