package rpc_test

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait more than they work
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

const closed = "http://127.0.0.1:1" // no port of this number is ever open

const recordings = "../../../testdata/recordings/moonbeam-2100/rpc"

// recording is an answer of a real node to a question.
type recording struct {
	Request string            `json:"request"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(recordings, name+".json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

// question is what a client asks.
type question struct {
	Version string            `json:"jsonrpc"`
	ID      uint64            `json:"id"`
	Method  string            `json:"method"`
	Params  []json.RawMessage `json:"params"`
}

func readQuestion(r *http.Request) question {
	var q question
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		panic(err)
	}
	return q
}

// quick are options with which what is asked again is asked at once.
var quick = httpclient.Options{Total: patience, RetryWait: time.Millisecond}

// inVain are options for who gets no answer, and gives up soon.
var inVain = httpclient.Options{Total: time.Second, RetryWait: time.Millisecond}

// patience is far more than anything takes that a test waits for.
const patience = time.Minute

func newClient(t *testing.T, address string, o httpclient.Options) *rpc.Client {
	t.Helper()
	c, err := rpc.New(address, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

// answering is a client of a node that answers each question with body, in which
// $id stands for the question's own.
func answering(t *testing.T, body string) *rpc.Client {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, strings.ReplaceAll(body, "$id", fmt.Sprint(readQuestion(r).ID)))
	})
	return newClient(t, server.URL, quick)
}

// giving is a client of a node that gives each question that result.
func giving(t *testing.T, result string) *rpc.Client {
	return answering(t, `{"jsonrpc":"2.0","id":$id,"result":`+result+`}`)
}

// stall takes a question and never answers.
func stall(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // or net/http does not see the client leave
	<-r.Context().Done()
}

// raw serves WebSockets byte by byte, as no library would let it: talk has the
// connection after the handshake, which ends when it returns.
func raw(t *testing.T, talk func(net.Conn, *bufio.Reader)) string {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
			base64.StdEncoding.EncodeToString(sum[:]))
		talk(conn, rw.Reader)
	})
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

// Opcodes of frames (RFC 6455, 5.2).
const (
	textFrame   = 1
	binaryFrame = 2
	closeFrame  = 8
)

// frame is a whole unmasked frame of less than 64 kB.
func frame(opcode byte, payload string) []byte {
	head := []byte{0x80 | opcode, byte(len(payload))}
	if len(payload) > 125 {
		head = []byte{0x80 | opcode, 126, byte(len(payload) >> 8), byte(len(payload))}
	}
	return append(head, payload...)
}

// readFrame reads what a client sent, unmasked; ok is false when the client left.
func readFrame(r *bufio.Reader) (payload string, ok bool) {
	head := make([]byte, 2)
	if !fill(r, head) || head[0]&0x0f == closeFrame {
		return "", false
	}
	length := int(head[1] & 0x7f)
	if length == 126 {
		long := make([]byte, 2)
		if !fill(r, long) {
			return "", false
		}
		length = int(long[0])<<8 | int(long[1])
	}
	mask, body := make([]byte, 4), make([]byte, length)
	if !fill(r, mask) || !fill(r, body) {
		return "", false
	}
	for i := range body {
		body[i] ^= mask[i%4]
	}
	return string(body), true
}

func fill(r *bufio.Reader, b []byte) bool {
	for n := 0; n < len(b); {
		m, err := r.Read(b[n:])
		if err != nil {
			return false
		}
		n += m
	}
	return true
}

// gone waits until the client hangs up.
func gone(r *bufio.Reader) {
	for {
		if _, ok := readFrame(r); !ok {
			return
		}
	}
}

// soon fails a test that hangs before the test binary's own limit does.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func hash(t *testing.T, text string) chain.Hash {
	t.Helper()
	h, err := chain.ParseHash(text)
	require.NoError(t, err)
	return h
}

var latest chain.Optional[chain.Hash]
