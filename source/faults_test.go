package source_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

const (
	askers       = 16
	lastRecorded = 27 // height
	oneTry       = 50 * time.Millisecond
	oneAnswer    = 250 * time.Millisecond
	// slack is the additional time for a busy machine. Hanging responses take longer.
	slack      = 30 * time.Second
	farTooLong = 3 * time.Minute
)

// seed selects the faults; change it to search for more.
var seed = flag.Uint64("seed", 1, "the seed of TestFaults")

// From a gateway with every kind of failure, each request results in the right response or a clear error, in
// time, and never in a wrong figure. Nothing is left behind.
func TestFaults(t *testing.T) {
	log.SetOutput(io.Discard) // silences net/http's reports about connections
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	known := readTruth(t)
	// A client with a single response cannot detect a fork; readers can.
	wantedFaults, leastOfKind := 10_000/tier.Sparse(10, 4), 100/tier.Sparse(33, 4) // faults of each kind
	plain, forks := gatewaytest.NewFaults(directory), gatewaytest.NewFaults(directory)
	plain.Seed, plain.Percent = *seed, 60
	forks.Seed, forks.Percent, forks.Forks = *seed, 35, true
	mux := http.NewServeMux()
	mux.Handle("/plain/", http.StripPrefix("/plain", plain))
	mux.Handle("/forks/", http.StripPrefix("/forks", forks))
	server := httptest.NewUnstartedServer(mux)
	listener := &gatewaytest.Listener{Listener: server.Listener}
	server.Listener = listener
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()

	var all []*asker
	for i := range askers {
		all = append(all, newAsker(t, server.URL, i, known))
	}
	var running sync.WaitGroup
	for _, a := range all {
		running.Go(func() {
			for a.failed == nil && plain.Total()+forks.Total() < wantedFaults {
				a.ask(pick(a.random, questions))
			}
		})
	}
	running.Wait()

	// Hung or broken requests hold no resources: when the faults end, all is well.
	plain.Calm()
	forks.Calm()
	for _, a := range all {
		a.recover()
	}
	server.Close()
	listener.Open.Wait()
	goleak.VerifyNone(t)

	right, refused := map[string]int{}, map[string]int{}
	for _, a := range all {
		require.NoError(t, a.failed, "with -seed %d", *seed)
		for _, q := range questions {
			right[q.name] += a.right[q.name]
			refused[q.name] += a.refused[q.name]
		}
	}
	for _, q := range questions {
		require.Positive(t, right[q.name], "%s: right answers", q.name)
		require.Positive(t, refused[q.name], "%s: errors", q.name)
	}
	counts := plain.Counts()
	for kind, n := range forks.Counts() {
		counts[kind] += n
		require.GreaterOrEqual(t, counts[kind], leastOfKind, kind)
	}
	t.Logf("by kind: %v", counts)
	t.Logf("%d faults; right: %v; errors: %v", plain.Total()+forks.Total(), right, refused)
}

// question is a request to a gateway, directly or through a reader. It takes at most answers responses, and
// returns a [wrongAnswer], or the error.
type question struct {
	name    string
	answers int
	ask     func(context.Context, *asker, uint64) error
}

var questions = []question{
	{"Block", 1, func(ctx context.Context, a *asker, height uint64) error {
		b, err := a.plain.Block(ctx, height)
		return a.checkBlock(b, height, err)
	}},
	{"BlockByHash", 1, func(ctx context.Context, a *asker, height uint64) error {
		b, err := a.plain.BlockByHash(ctx, a.known.items[height].Block.Hash)
		return a.checkBlock(b, height, err)
	}},
	{"Head", 1, func(ctx context.Context, a *asker, height uint64) error {
		b, err := a.plain.Head(ctx, height%2 == 0)
		return a.checkBlock(b, lastRecorded, err)
	}},
	{"Header", 1, func(ctx context.Context, a *asker, height uint64) error {
		h, err := a.plain.Header(ctx, height)
		return check(h, a.known.headers[height], err)
	}},
	{"Multiplier", 1, func(ctx context.Context, a *asker, height uint64) error {
		m, err := a.plain.Multiplier(ctx, height)
		return check(m, a.known.multipliers[height], err)
	}},
	{"Balance", 1, func(ctx context.Context, a *asker, height uint64) error {
		b, err := a.plain.Balance(ctx, a.known.account, chain.Some(height))
		return check(b, a.known.balances[height], err)
	}},
	{"Runtime", 1, func(ctx context.Context, a *asker, height uint64) error {
		r, err := a.plain.Runtime(ctx, height)
		hash := chain.Some(a.known.items[height].Block.Hash)
		return check(r, chain.AtBlock[chain.Runtime]{At: height, AtHash: hash, Value: chain.Runtime{SpecName: "moonbeam", SpecVersion: 2100, Token: chain.Token{Symbol: "GLMR", Decimals: chain.Some[uint64](18)}}}, err)
	}},
	{"NodeVersion", 1, func(ctx context.Context, a *asker, _ uint64) error {
		n, err := a.plain.NodeVersion(ctx)
		return check(n, a.known.node, err)
	}},
	{"Read", 3, func(ctx context.Context, a *asker, height uint64) error {
		item, err := a.reader.Read(ctx, source.Height(height))
		return a.checkItem(item, height, err)
	}},
	{"Read by hash", 3, func(ctx context.Context, a *asker, height uint64) error {
		item, err := a.reader.Read(ctx, source.ByHash(a.known.items[height].Block.Hash))
		return a.checkItem(item, height, err)
	}},
	{"Range", 2 + 3*2, func(ctx context.Context, a *asker, height uint64) error {
		next := min(height, lastRecorded-2)
		for item, err := range a.reader.Range(ctx, chain.Heights{First: next, Last: next + 2}, 2) {
			if err := a.checkItem(item, next, err); err != nil {
				return err
			}
			next++
		}
		return nil
	}},
}

// wrongAnswer is a result that must never occur.
type wrongAnswer struct{ have, want any }

func (e *wrongAnswer) Error() string { return fmt.Sprintf("have %+v, want %+v", e.have, e.want) }

func check[T comparable](have, want T, err error) error {
	if err == nil && have != want {
		return &wrongAnswer{have, want}
	}
	return err
}

// asker sends requests in sequence, and records the results.
type asker struct {
	plain  *gatewayclient.Client
	reader source.Reader
	known  *truth
	random *rand.Rand
	right  map[string]int
	// refused counts the errors, including responses with undetermined parts.
	refused map[string]int
	failed  error // the first forbidden result
}

func newAsker(t *testing.T, address string, n int, known *truth) *asker {
	client := func(kind string) *gatewayclient.Client {
		c, err := gatewayclient.New(address+"/"+kind+"/"+strconv.Itoa(n), gatewayclient.Options{
			Timeout: oneTry, Total: oneAnswer, RetryWait: time.Millisecond, Concurrency: 2, MaxAnswer: 1 << 18,
		})
		require.NoError(t, err)
		return c
	}
	return &asker{
		plain:  client("plain"),
		reader: source.Reader{Source: client("forks"), Tables: network.BuiltIn()},
		known:  known,
		random: rand.New(rand.NewPCG(*seed, uint64(n))),
		right:  map[string]int{},

		refused: map[string]int{},
	}
}

// errUndetermined means that a report's figures are right, but marked incomplete.
var errUndetermined = errors.New("undetermined")

func (a *asker) ask(q question) {
	height := 1 + a.random.Uint64N(lastRecorded)
	start := time.Now()
	err := q.ask(context.Background(), a, height)
	took := time.Since(start)
	switch problem := problemOf(err); {
	case took > time.Duration(q.answers)*oneAnswer+slack:
		a.failed = fmt.Errorf("%s %d: took %v: %w", q.name, height, took, err)
	case problem != "":
		a.failed = fmt.Errorf("%s %d: %s: %q", q.name, height, problem, err)
	case err != nil:
		a.refused[q.name]++
	default:
		a.right[q.name]++
	}
}

// recover repeats each request until it succeeds, which is at once unless the machine is busy.
func (a *asker) recover() {
	for _, q := range questions {
		before, start := a.right[q.name], time.Now()
		for a.failed == nil && a.right[q.name] == before {
			if a.ask(q); time.Since(start) > farTooLong {
				a.failed = fmt.Errorf("%s: no answer without faults", q.name)
			}
		}
	}
}

// problemOf returns what is wrong with an error, or "".
func problemOf(err error) string {
	var wrong *wrongAnswer
	switch {
	case err == nil:
		return ""
	case errors.As(err, &wrong):
		return "a wrong answer"
	case !documented(err):
		return "not a documented error"
	}
	return unclear(err.Error())
}

// documented reports whether an error is of a documented kind.
func documented(err error) bool {
	var unreachable *httpclient.UnreachableError
	var status *httpclient.StatusError
	var malformed *sidecar.DecodeError
	for _, kind := range []error{
		chain.ErrNoBlock, chain.ErrNotOffered, chain.ErrWrongBlock, httpclient.ErrNotJSON, source.ErrNotFinal, errUndetermined,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return errors.As(err, &unreachable) || errors.As(err, &status) || errors.As(err, &malformed)
}

// unclear returns what is wrong with a message, or "".
func unclear(message string) string {
	switch {
	case message == "":
		return "an empty message"
	case len(message) > 1000:
		return "a long message"
	case !utf8.ValidString(message) || strings.ContainsFunc(message, unicode.IsControl):
		return "a message that is not one line of text"
	}
	return ""
}

// checkBlock checks a block by its report.
func (a *asker) checkBlock(b *chain.Block, height uint64, err error) error {
	item := a.known.items[height]
	item.Block = b
	return a.checkItem(item, height, err)
}

func (a *asker) checkItem(item source.Item, height uint64, err error) error {
	if err != nil {
		return err
	}
	return checkReport(priced(item), priced(a.known.items[height]))
}

func priced(item source.Item) *fee.Report { return fee.Price(item.Block, &item.Rules, item.Multiplier) }

// checkReport requires the right figures: all of them, or a report that marks some as undetermined.
func checkReport(have, want *fee.Report) error {
	wrong := &wrongAnswer{have, want}
	if have.Number != want.Number || have.Hash != want.Hash || have.ParentHash != want.ParentHash || have.Rules != want.Rules ||
		have.Multiplier != want.Multiplier || have.BaseFeePerGas != want.BaseFeePerGas || !isOrUnknown(have.Time, want.Time) ||
		len(have.Transactions) != len(want.Transactions) {
		return wrong
	}
	undetermined := 0
	for i, h := range have.Transactions {
		w := want.Transactions[i]
		if h.Index != w.Index || h.Layer != w.Layer || h.Hash != w.Hash || !isOrUnknown(h.Fee, w.Fee) ||
			!isOrUnknown(h.PriorityFee, w.PriorityFee) || !isOrUnknown(h.Tip, w.Tip) || !isOrUnknown(h.GasPrice, w.GasPrice) ||
			!isOrUnknown(h.Gas, w.Gas) || !isOrUnknown(h.Weight, w.Weight) || !isOrUnknown(h.Nonce, w.Nonce) {
			return wrong
		}
		if !h.Fee.Known() {
			undetermined++
			if h.Error == nil || unclear(h.Error.Error()) != "" {
				return wrong
			}
		}
	}
	switch {
	case undetermined == 0 && have.Totals == want.Totals:
		return nil
	case undetermined > 0 && have.Totals.Undetermined == undetermined && !have.Totals.Complete && !have.Holds():
		return errUndetermined
	}
	return wrong
}

func isOrUnknown[T comparable](have, want chain.Optional[T]) bool {
	return !have.Known() || have == want
}

// truth is the content of the recordings.
type truth struct {
	items       map[uint64]source.Item
	headers     map[uint64]chain.Header
	multipliers map[uint64]chain.AtBlock[chain.Multiplier]
	balances    map[uint64]chain.AtBlock[chain.Account]
	account     chain.Address
	node        chain.NodeVersion
}

func readTruth(t *testing.T) *truth {
	ctx := context.Background()
	const account = "0xf24ff3a9cf04c71dbc94d0b566f7a27b94566cac"
	recorded, err := answers.OpenDirectory(directory)
	require.NoError(t, err)
	reader := source.Reader{Source: recorded, Tables: network.BuiltIn()}
	known := &truth{
		items: map[uint64]source.Item{}, headers: map[uint64]chain.Header{},
		multipliers: map[uint64]chain.AtBlock[chain.Multiplier]{}, balances: map[uint64]chain.AtBlock[chain.Account]{},
	}
	known.account, err = chain.ParseAddress(account)
	require.NoError(t, err)
	known.node, err = recorded.NodeVersion(ctx)
	require.NoError(t, err)
	text := func(path string, height uint64) string {
		content, err := os.ReadFile(filepath.Join(directory, path, fmt.Sprint(height, ".json")))
		require.NoError(t, err)
		return string(content)
	}
	for height := range uint64(lastRecorded + 1) {
		known.items[height], err = reader.Read(ctx, source.Height(height))
		require.NoError(t, err)
		known.headers[height], err = sidecar.DecodeHeader(text("headers", height))
		require.NoError(t, err)
		known.multipliers[height], err = recorded.Multiplier(ctx, height)
		require.NoError(t, err)
		known.balances[height], err = sidecar.DecodeBalance(text("balance-info/"+account, height))
		require.NoError(t, err)
	}
	return known
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }
