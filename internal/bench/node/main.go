// Command node measures how fast blocks are read directly from a node, decoded, priced and proved. The node is a separate
// process. Its blocks are generated, or recordings of a real node with a number, parent and hash for each height.
// With -ledger it stores the blocks, too, as fees sync does.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// options configure a measurement.
type options struct {
	recordings  string
	blocks      int
	concurrency int
	signatures  bool
	latency     time.Duration
	oneByOne    bool
	ledger      bool
	profile     string
}

func main() {
	var o options
	serve := flag.Bool("serve", false, "run the node (internal)")
	flag.StringVar(&o.recordings, "recordings", "", "recorded responses of a node; empty for generated blocks")
	flag.IntVar(&o.blocks, "n", 20_000, "number of blocks")
	flag.IntVar(&o.concurrency, "concurrency", 32, "concurrent requests")
	flag.BoolVar(&o.signatures, "signatures", false, "use signed transactions, and verify the signatures")
	flag.DurationVar(&o.latency, "latency", 0, "delay of each response, such as 50ms (recordings only)")
	flag.BoolVar(&o.oneByOne, "one-by-one", false, "accept only one request per message (recordings only)")
	flag.BoolVar(&o.ledger, "ledger", false, "store the blocks in a new ledger in TMPDIR")
	flag.StringVar(&o.profile, "cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	err := o.run(*serve)
	if err != nil {
		log.Fatal(err)
	}
}

func (o *options) run(serve bool) error {
	if serve {
		return o.beNode()
	}
	return o.measure()
}

// countingNode counts the requests to a node.
type countingNode interface {
	http.Handler
	Asked() map[string]int
	Messages() int
}

func (o *options) newNode() (countingNode, error) {
	if o.recordings == "" {
		head := uint64(o.blocks)
		c := chaingen.New(chaingen.Options{Seed: 1, Head: head, Upgrade: head / 2, Signed: o.signatures, Cached: min(head+1, maxPrepared)})
		c.HeightOf(c.Hash(head)) // generates the blocks, and finds them by hash
		return c.Node(), nil
	}
	node, err := nodetest.Open(o.recordings)
	if err != nil {
		return nil, err
	}
	if node.Latency = o.latency; o.oneByOne {
		node.MaxConcurrent = 1
	}
	return node, node.Mill(o.blocks)
}

// maxPrepared limits the blocks that are generated before the node answers, as a real node has stored them; the node generates
// more while it answers.
const maxPrepared = 1 << 15

// counts are the requests that a node received, and the CPU time that it used.
type counts struct {
	Asked    map[string]int // by method
	Messages int
	CPU      time.Duration
}

// beNode answers requests until it is killed. It prints its address on standard output.
func (o *options) beNode() error {
	node, err := o.newNode()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/counts" {
			json.NewEncoder(w).Encode(counts{node.Asked(), node.Messages(), cpu()})
			return
		}
		node.ServeHTTP(w, r)
	}))
}

func (o *options) measure() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(program, append([]string{"-serve"}, os.Args[1:]...)...)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	defer child.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return errors.New("the node did not start")
	}
	address := strings.TrimSpace(line)
	before, _, err := countsOf(address)
	if err != nil {
		return err
	}
	took, err := o.profiled(address)
	if err != nil {
		return err
	}
	c, total, err := countsOf(address)
	if err != nil {
		return err
	}
	fmt.Printf("%.3f requests per block, in %.4f messages: %v\n", float64(total)/float64(o.blocks), float64(c.Messages)/float64(o.blocks), c.Asked)
	if o.latency > 0 {
		if err := o.compare(address, total, took); err != nil {
			return err
		}
	}
	nodes := c.CPU - before.CPU
	fmt.Printf("CPU time of the node: %v, %d µs per block, and %v before\n", nodes.Round(time.Millisecond), nodes.Microseconds()/int64(o.blocks),
		before.CPU.Round(time.Millisecond))
	return nil
}

// compare compares the time for the blocks with the minimum for that many requests.
func (o *options) compare(address string, questions int, took time.Duration) error {
	plain, err := plainQuestions(address, questions, o.concurrency)
	if err != nil {
		return err
	}
	least := time.Duration(questions) * o.latency / time.Duration(o.concurrency)
	fmt.Printf("%d requests of %v, %d at once, take at least %v; the blocks took %.3f times that, plain requests %.3f times\n",
		questions, o.latency, o.concurrency, least.Round(time.Millisecond), took.Seconds()/least.Seconds(), plain.Seconds()/least.Seconds())
	return nil
}

// countsOf returns the requests that a node received, and their number.
func countsOf(address string) (c counts, questions int, err error) {
	answer, err := http.Get("http://" + address + "/counts")
	if err != nil {
		return c, 0, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&c); err != nil {
		return c, 0, err
	}
	for _, times := range c.Asked {
		questions += times
	}
	return c, questions, nil
}

// As in cmd/fees for commands that fill a ledger.
const (
	gcPercent   = 400
	memoryLimit = 150 << 20
)

// profiled reads or stores the blocks, and writes the profile.
func (o *options) profiled(address string) (took time.Duration, err error) {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
	if o.profile != "" {
		f, failed := os.Create(o.profile)
		if failed != nil {
			return 0, failed
		}
		defer func() {
			pprof.StopCPUProfile()
			err = errors.Join(err, f.Close())
		}()
		if err := pprof.StartCPUProfile(f); err != nil {
			return 0, err
		}
	}
	src, err := source.Open("ws://"+address, source.Options{Options: gatewayclient.Options{Concurrency: o.concurrency}})
	if err != nil {
		return 0, err
	}
	defer src.(io.Closer).Close()
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	if o.ledger {
		return o.store(reader)
	}
	return o.read(reader)
}

// store stores all blocks except block 0 in a new ledger.
func (o *options) store(reader *source.Reader) (took time.Duration, err error) {
	directory, err := os.MkdirTemp("", "bench-node")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	w, err := app.PeriodInput{Blocks: fmt.Sprintf("1..%d", o.blocks)}.ParseWanted()
	if err != nil {
		return 0, err
	}
	began, before := time.Now(), cpu()
	filled, err := app.Sync(context.Background(), filepath.Join(directory, "fees.db"), w, app.FillOptions{Reader: reader, Concurrency: o.concurrency, Signatures: o.signatures})
	if err != nil {
		return 0, err
	}
	took = time.Since(began)
	used := cpu() - before
	fmt.Printf("signatures %v: %d blocks stored in %v: %.0f a second; %v of CPU, %.0f µs a block; seal %v\n", o.signatures, filled.Stored, took.Round(time.Millisecond),
		float64(filled.Stored)/took.Seconds(), used.Round(time.Millisecond), float64(used.Microseconds())/float64(filled.Stored), filled.Status.Seal)
	sayMemory(uint64(o.blocks))
	return took, nil
}

// read reads and proves all blocks except block 0, and prints memory use after each tenth.
func (o *options) read(reader *source.Reader) (took time.Duration, err error) {
	blocks := uint64(o.blocks)
	prover := prove.Prover{Reader: reader, Concurrency: o.concurrency, Options: evidence.Options{Signatures: o.signatures}}
	began, before := time.Now(), cpu()
	summary := evidence.NewSummary()
	for p, err := range prover.Range(context.Background(), chain.Heights{First: 1, Last: blocks}, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			return 0, err
		}
		if len(p.Report.Findings) > 0 && o.recordings == "" { // the times of recorded blocks are arbitrary
			return 0, fmt.Errorf("block %d: %v", p.Block.Number, p.Report.Findings[0])
		}
		summary.Add(p.Report)
		if p.Report.Number%max(blocks/10, 1) == 0 {
			sayMemory(p.Report.Number)
		}
	}
	took = time.Since(began)
	used := cpu() - before
	fmt.Printf("signatures %v: %d blocks of %.1f transactions in %v: %.0f a second; %v of CPU, %.0f µs a block; %d fees match\n", o.signatures,
		summary.Blocks, float64(summary.EVM+summary.Native)/float64(summary.Blocks), took.Round(time.Millisecond), float64(summary.Blocks)/took.Seconds(),
		used.Round(time.Millisecond), float64(used.Microseconds())/float64(summary.Blocks), summary.Verdicts[evidence.Match])
	return took, nil
}

// plainQuestions returns the time for a number of identical requests.
func plainQuestions(address string, questions, concurrency int) (time.Duration, error) {
	node, err := rpc.New("ws://"+address, httpclient.Options{Concurrency: concurrency})
	if err != nil {
		return 0, err
	}
	defer node.Close()
	began := time.Now()
	var left atomic.Int64
	left.Store(int64(questions))
	errs := make(chan error, concurrency)
	for range concurrency {
		go func() {
			for left.Add(-1) >= 0 {
				if _, err := node.Call(context.Background(), "chain_getHeader"); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range concurrency {
		err = errors.Join(err, <-errs)
	}
	return time.Since(began), err
}

// sayMemory prints the memory use of this process.
func sayMemory(height uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	status, _ := os.ReadFile("/proc/self/status") // Linux only
	_, resident, _ := strings.Cut(string(status), "VmRSS:")
	resident, _, _ = strings.Cut(resident, "\n")
	fmt.Printf("block %d: heap %.1f MB, resident %s\n", height, float64(m.HeapAlloc)/1e6, strings.TrimSpace(resident))
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
