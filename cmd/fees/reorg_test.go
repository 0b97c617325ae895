//go:build unix

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
)

// forks is a gateway of a chain whose newest blocks are not final and are replaced.
type forks struct {
	made *chaingen.Chain
	now  atomic.Pointer[fork]
}

// fork is the state of the chain at a time.
type fork struct {
	head  uint64 // the newest block
	final uint64 // the newest that is final
	above uint64 // the blocks above this one are others
	mark  string // by this in their hashes, two hex digits
	// silent is a gateway that does not report whether a block is final.
	silent bool
}

func newForks(t *testing.T) (*forks, string) {
	f := &forks{made: chaingen.New(chaingen.Options{Seed: 41})}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, server.URL
}

func (f *forks) set(now fork) { f.now.Store(&now) }

// hash returns the hash of a block on a fork.
func (f *forks) hash(now *fork, height uint64) string {
	text := f.made.Hash(height).String()
	if height > now.above {
		text = text[:len(text)-2] + now.mark
	}
	return text
}

func (f *forks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := f.now.Load()
	f.made.SetHead(now.head)
	path, height := r.URL.Path, now.final
	switch id, isBlock := strings.CutPrefix(path, "/blocks/"); {
	case isBlock && id == "head":
		if r.URL.Query().Get("finalized") == "false" {
			height = now.head
		}
		r.URL.Path = fmt.Sprintf("/blocks/%d", height)
		r.URL.RawQuery = ""
	case isBlock:
		height, _ = strconv.ParseUint(id, 10, 64)
	}
	answer := httptest.NewRecorder()
	f.made.Handler().ServeHTTP(answer, r)
	text := answer.Body.String()
	if height > now.final {
		text = strings.Replace(text, `"finalized":true`, `"finalized":false`, 1)
	}
	if now.silent {
		text = strings.Replace(text, `,"finalized":true`, "", 1)
	}
	for h := now.above + 1; h <= now.head; h++ {
		text = strings.ReplaceAll(text, f.made.Hash(h).String(), f.hash(now, h))
	}
	w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	w.WriteHeader(answer.Code)
	fmt.Fprint(w, text)
}

// Unfinalized blocks come and go without a trace in the final ledger.
func TestUnfinalized(t *testing.T) {
	t.Parallel()
	gateway, address := newForks(t)
	place := newLedgerFile(t)
	sync := func(code int, args ...string) (stdout, stderr string) {
		t.Helper()
		stdout, stderr, got := fees(append([]string{"sync", "--signatures=false", "--ledger", place, "--gateway", address}, args...)...)
		require.Equal(t, code, got, stdout+stderr)
		requireVerified(t, place)
		return stdout, stderr
	}
	has := func(blocks, notFinal, sealed uint64) {
		t.Helper()
		s := statusOf(t, place)
		require.Equal(t, []uint64{blocks, notFinal, sealed}, []uint64{s.Blocks, s.NotFinal, *s.Sealed})
		require.Empty(t, s.Gaps)
	}

	gateway.set(fork{head: 30, final: 20, above: 30})
	sync(exitOK, "--from", "1")
	has(20, 0, 20)
	_, stderr := sync(exitGateway, "1..25")
	require.Contains(t, stderr, "block 21: not final yet. Wait, or accept it with --unfinalized")
	has(20, 0, 20)
	stdout, _ := sync(exitOK, "--unfinalized")
	require.Contains(t, stdout, "blocks 21..30: 10 stored, 0 already there; sealed up to block 20, seal ")
	has(30, 10, 20)
	sync(exitOK, "--unfinalized") // they are read again
	has(30, 10, 20)

	gateway.set(fork{head: 34, final: 22, above: 25, mark: "aa"})
	sync(exitOK, "--unfinalized")
	has(34, 12, 22)
	gateway.set(fork{head: 28, final: 23, above: 23, mark: "bb"}) // shorter than the one before
	sync(exitOK, "--unfinalized")
	has(28, 5, 23)
	gateway.set(fork{head: 45, final: 40, above: 23, mark: "bb"})
	sync(exitOK)
	has(40, 0, 40)
	seal := quietSync(t, "1..40", address)
	require.Equal(t, seal, *statusOf(t, place).Seal)

	// A gateway on another fork, whose final blocks do not follow the ledger's.
	sync(exitOK, "--unfinalized")
	has(45, 5, 40)
	gateway.set(fork{head: 50, final: 48, above: 38, mark: "cc"})
	other := gateway.hash(gateway.now.Load(), 40)
	_, stderr = sync(exitGateway)
	require.Contains(t, stderr, "the parent of block 41 is "+other)
	require.Contains(t, stderr, "removed 5 blocks that were not final from the ledger")
	require.Contains(t, stderr, ". Use another gateway, since this one is on another fork, or compare them with \"fees ledger verify --ledger "+place+" --gateway "+address+"\".")
	has(40, 0, 40)
	require.Equal(t, seal, *statusOf(t, place).Seal)

	gateway.set(fork{head: 50, final: 50, above: 23, mark: "bb"})
	sync(exitOK)
	has(50, 0, 50)
	require.Equal(t, quietSync(t, "1..50", address), *statusOf(t, place).Seal)
}

// fees follow, which only reads final blocks, also replaces unfinalized ones.
func TestFollowAfterUnfinalized(t *testing.T) {
	t.Parallel()
	gateway, address := newForks(t)
	place := newLedgerFile(t)
	gateway.set(fork{head: 12, final: 8, above: 12})
	_, stderr, code := fees("sync", "--signatures=false", "--from", "1", "--unfinalized", "--ledger", place, "--gateway", address)
	require.Equal(t, exitOK, code, stderr)
	require.Equal(t, uint64(4), statusOf(t, place).NotFinal)

	gateway.set(fork{head: 20, final: 16, above: 9, mark: "dd"})
	p := start(t, "follow", "--ledger", place, "--gateway", address, "--poll", "10ms", "--signatures=false")
	eventually(t, "it is not sealed", func() bool { return *statusOf(t, place).Sealed == 16 })
	p.kill()
	require.Zero(t, statusOf(t, place).NotFinal)
	requireSound(t, place, 16, quietSync(t, "1..16", address))
}

// A block about whose finality the gateway says nothing is not sealed, and nothing says that it is all right. So the
// true chain's blocks can still take the place of a fork's.
func TestFinalityNotReported(t *testing.T) {
	t.Parallel()
	gateway, address := newForks(t)
	place := newLedgerFile(t)
	gateway.set(fork{head: 12, final: 12, above: 6, mark: "ee", silent: true})
	stdout, stderr, code := fees("sync", "--signatures=false", "--from", "1", "--ledger", place, "--gateway", address)
	require.Equal(t, exitFinding, code, stdout+stderr)
	require.Contains(t, stdout, "12 stored, 0 already there; nothing is sealed")
	require.Contains(t, stdout, "12 blocks are not sealed, because the source does not report whether they are final.")
	s := statusOf(t, place)
	require.Equal(t, []uint64{12, 12}, []uint64{s.Blocks, s.NotFinal})
	require.Nil(t, s.Sealed)

	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"verify":   {[]string{"verify", "1..12", "--signatures=false"}, exitFinding, "12 blocks may not be final: the source does not report it."},
		"json":     {[]string{"verify", "1..12", "--signatures=false", "--format", "json"}, exitFinding, `"holds":false`},
		"follow":   {[]string{"follow", "--ledger", place, "--poll", "10ms"}, exitGateway, "block 1: the source does not report whether it is final. Use a gateway or a node that reports it"},
		"a report": {[]string{"report", "1..9"}, exitGateway, "block 1: the source does not report whether it is final."},
		"accepted": {[]string{"sync", "1..12", "--unfinalized", "--signatures=false", "--ledger", place}, exitOK, "nothing is sealed"},
	} {
		stdout, stderr, code := fees(append(c.args, "--gateway", address)...)
		require.Equal(t, c.code, code, "%s: %s", name, stdout+stderr)
		require.Contains(t, stdout+stderr, c.want, name)
		require.NotContains(t, stdout, "every check passed", name)
	}

	gateway.set(fork{head: 14, final: 14, above: 14})
	stdout, stderr, code = fees("sync", "--signatures=false", "1..14", "--ledger", place, "--gateway", address)
	require.Equal(t, exitOK, code, stdout+stderr)
	requireSound(t, place, 14, quietSync(t, "1..14", address))
	stdout, _, _ = fees("verify", "1..14", "--signatures=false", "--gateway", address)
	require.Contains(t, stdout, "every check passed")
	gateway.set(fork{head: 14, final: 12, above: 14})
	stdout, _, code = fees("verify", "1..14", "--signatures=false", "--gateway", address, "--unfinalized")
	require.Equal(t, exitOK, code)
	require.Contains(t, stdout, "no check failed, but 2 blocks are not final yet and may be replaced")
}
