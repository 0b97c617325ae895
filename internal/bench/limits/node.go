package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// maxPrepared limits the blocks that are generated before the node answers, as a real node has stored them.
const maxPrepared = 1 << 16

// beNode answers requests until it is killed. It prints its address on standard output.
func beNode(head uint64) error {
	c := chaingen.New(chaingen.Options{Seed: 1, Head: head, Upgrade: head / 2, Signed: true, Cached: min(head+1, maxPrepared)})
	c.HeightOf(c.Hash(head)) // generates the blocks
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, c.Node())
}

// startNode starts a node in another process, and returns its address and what ends it.
func startNode(head uint64) (address string, end func(), err error) {
	child := another("-serve", "-n", strconv.FormatUint(head, 10))
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	end = func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}
	if err != nil {
		end()
		return "", nil, errors.New("the node did not start")
	}
	return strings.TrimSpace(line), end, nil
}

// another runs a part of this program in another process: the system counts this process's memory as that of the
// commands that it starts.
func another(arguments ...string) *exec.Cmd {
	child := exec.Command(os.Args[0], arguments...)
	child.Stderr = os.Stderr
	return child
}

// ledgerEnd ends the name of a ledger.
const ledgerEnd = ".db"

// generate makes a ledger, or an archive, of n blocks.
func generate(ctx context.Context, place string, n uint64) error {
	made := chaingen.New(chaingen.Options{Seed: 1, Head: n})
	if !strings.HasSuffix(place, ledgerEnd) {
		return made.WriteDirectory(place, 0, n)
	}
	wanted, err := app.PeriodInput{Blocks: fmt.Sprintf("0..%d", n-1)}.ParseWanted()
	if err != nil {
		return err
	}
	_, err = app.Sync(ctx, place, wanted, app.FillOptions{Reader: &source.Reader{Source: made.Source(), Tables: network.BuiltIn()}, Concurrency: 8})
	return err
}

// questions are the messages that the program sent to a node.
type questions struct {
	mutex sync.Mutex
	list  [][]byte
}

// record returns what the program asks a node, by passing its messages on.
func record(ctx context.Context, node string, use func(address string) error) (*questions, error) {
	q := new(questions)
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer client.CloseNow()
		server, err := dial(ctx, node)
		if err != nil {
			return
		}
		defer server.CloseNow()
		go pass(ctx, server, client, func([]byte) {})
		pass(ctx, client, server, func(message []byte) {
			q.mutex.Lock()
			defer q.mutex.Unlock()
			q.list = append(q.list, message)
		})
	}))
	defer between.Close()
	err := use(strings.TrimPrefix(between.URL, "http://"))
	return q, err
}

func dial(ctx context.Context, node string) (*websocket.Conn, error) {
	c, _, err := websocket.Dial(ctx, "ws://"+node, nil)
	if err == nil {
		c.SetReadLimit(-1)
	}
	return c, err
}

// pass passes messages on until a connection ends.
func pass(ctx context.Context, from, to *websocket.Conn, seen func([]byte)) {
	from.SetReadLimit(-1)
	for {
		kind, message, err := from.Read(ctx)
		if err != nil {
			return
		}
		seen(message)
		if to.Write(ctx, kind, message) != nil {
			return
		}
	}
}

// atOnce is the number of messages without an answer, as the program has.
const atOnce = 32

// ask sends the same messages to the node, and reads and discards the answers.
func (q *questions) ask(ctx context.Context, node string) (time.Duration, error) {
	c, err := dial(ctx, node)
	if err != nil {
		return 0, err
	}
	defer c.CloseNow()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	start, turns := time.Now(), make(chan struct{}, atOnce)
	go func() {
		for _, message := range q.list {
			select {
			case turns <- struct{}{}:
			case <-ctx.Done():
				return
			}
			if c.Write(ctx, websocket.MessageText, message) != nil {
				return // the reader sees it, too
			}
		}
	}()
	for range q.list {
		if _, _, err := c.Read(ctx); err != nil {
			return 0, err
		}
		<-turns
	}
	return time.Since(start), nil
}
