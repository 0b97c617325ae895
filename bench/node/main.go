// Command node measures how fast blocks are read straight from a node, decoded, priced and
// proved. The node is a process of its own. It makes the blocks up while it is asked for them,
// or answers from recordings of a real one, with a number, a parent and a hash of its own for
// each height.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/internal/chaingen"
	"github.com/feeledger/fees/internal/nodetest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/proof"
	"github.com/feeledger/fees/source"
)

func main() {
	serve := flag.Bool("serve", false, "be the node")
	signed := flag.Bool("signed", false, "of a chain whose transactions are signed")
	dir := flag.String("recordings", "", "what a node was recorded to have said; empty for blocks that are made up")
	blocks := flag.Int("n", 20_000, "how many blocks")
	concurrency := flag.Int("concurrency", 32, "questions at once")
	flag.Parse()
	var err error
	if *serve {
		err = beNode(*dir, *blocks, *signed)
	} else if err = measure(*dir, *blocks, *concurrency, false); err == nil {
		if *dir == "" { // signing takes a node longer than all else together
			*blocks = max(*blocks/10, 1)
		}
		err = measure(*dir, *blocks, *concurrency, true)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// countingNode is a node that counts its questions.
type countingNode interface {
	http.Handler
	Asked() map[string]int
}

// newNode is a node of made-up blocks, or of recorded ones.
func newNode(dir string, blocks int, signed bool) (countingNode, error) {
	if dir == "" {
		return chaingen.New(chaingen.Options{Seed: 1, Head: uint64(blocks), Upgrade: uint64(blocks) / 2, Signed: signed}).Node(), nil
	}
	node, err := nodetest.Open(dir)
	if err != nil {
		return nil, err
	}
	return node, node.Mill(blocks)
}

// beNode answers until it is killed. It says where on its standard output.
func beNode(dir string, blocks int, signed bool) error {
	node, err := newNode(dir, blocks, signed)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/asked" {
			json.NewEncoder(w).Encode(node.Asked())
			return
		}
		node.ServeHTTP(w, r)
	}))
}

func measure(dir string, blocks, concurrency int, signatures bool) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(program, "-serve", "-recordings", dir, "-n", fmt.Sprint(blocks), fmt.Sprintf("-signed=%v", signatures))
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
		return errors.New("the node did not begin")
	}
	address := strings.TrimSpace(line)
	if err := run(address, uint64(blocks), concurrency, signatures); err != nil {
		return err
	}
	answer, err := http.Get("http://" + address + "/asked")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var asked map[string]int
	if err := json.NewDecoder(answer.Body).Decode(&asked); err != nil {
		return err
	}
	total := 0
	for _, times := range asked {
		total += times
	}
	fmt.Printf("%.3f questions a block: %v\n", float64(total)/float64(blocks), asked)
	child.Process.Kill()
	child.Wait()
	took := child.ProcessState.UserTime() + child.ProcessState.SystemTime()
	fmt.Printf("the node took %v of CPU, %d µs a block\n", took.Round(time.Millisecond), took.Microseconds()/int64(blocks))
	return nil
}

// run reads and proves all blocks but block 0.
func run(address string, blocks uint64, concurrency int, signatures bool) error {
	src, err := source.Open("ws://"+address, ask.Options{Concurrency: concurrency})
	if err != nil {
		return err
	}
	prover := proof.Prover{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}, Concurrency: concurrency, Options: evidence.Options{Signatures: signatures}}
	began, before := time.Now(), cpu()
	summary := evidence.NewSummary()
	for p, err := range prover.Range(context.Background(), source.Range{First: 1, Last: blocks}, chain.Optional[evidence.Predecessor]{}) {
		if err != nil {
			return err
		}
		if len(p.Report.Findings) > 0 {
			return fmt.Errorf("block %d: %v", p.Block.Number, p.Report.Findings[0])
		}
		summary.Add(p.Report)
	}
	took, used := time.Since(began), cpu()-before
	fmt.Printf("signatures %v: %d blocks of %.1f transactions in %v: %.0f a second; %v of CPU, %.0f µs a block; %d fees match\n", signatures,
		summary.Blocks, float64(summary.EVM+summary.Native)/float64(summary.Blocks), took.Round(time.Millisecond), float64(summary.Blocks)/took.Seconds(),
		used.Round(time.Millisecond), float64(used.Microseconds())/float64(summary.Blocks), summary.Verdicts[evidence.Match])
	return nil
}

// cpu is what this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
