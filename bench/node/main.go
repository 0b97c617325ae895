// Command node measures how fast blocks are read straight from a node, decoded, priced and
// proved. The node is a process of its own, which answers from recordings of a real one, with
// a number, a parent and a hash of its own for each height.
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
	"github.com/feeledger/fees/internal/nodetest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/proof"
	"github.com/feeledger/fees/source"
)

func main() {
	serve := flag.Bool("serve", false, "be the node")
	dir := flag.String("recordings", "../shared/pairs/moonbeam-2600/node", "what the node was recorded to have said")
	blocks := flag.Int("n", 20_000, "how many blocks")
	concurrency := flag.Int("concurrency", 32, "questions at once")
	flag.Parse()
	var err error
	if *serve {
		err = beNode(*dir, *blocks)
	} else {
		err = measure(*dir, *blocks, *concurrency)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// beNode answers until it is killed. It says where on its standard output.
func beNode(dir string, blocks int) error {
	node, err := nodetest.Open(dir)
	if err != nil {
		return err
	}
	if err := node.Mill(blocks); err != nil {
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

func measure(dir string, blocks, concurrency int) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(program, "-serve", "-recordings", dir, "-n", fmt.Sprint(blocks))
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
	for _, signatures := range []bool{false, true} {
		if err := run(address, uint64(blocks), concurrency, signatures); err != nil {
			return err
		}
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
	fmt.Printf("%.3f questions a block: %v\n", float64(total)/float64(2*blocks), asked)
	child.Process.Kill()
	child.Wait()
	fmt.Printf("the node took %v of CPU\n", child.ProcessState.UserTime()+child.ProcessState.SystemTime())
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
