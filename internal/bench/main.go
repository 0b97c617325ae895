// Command bench measures how many blocks per second this project prices, compared with a plain Node.js reference
// (reference.mjs): both in process, on one thread, warmed up, over the recordings of moonbeam-2100, in turns.
//
// A block is priced from the text of two gateway responses, the block and its parent's multiplier, up to the report
// with its totals. Both programs must compute the same total. The last line is the ratio of the medians.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/network"
)

const (
	recordings = "testdata/recordings/moonbeam-2100"
	reference  = "internal/bench/reference.mjs"
	rounds     = 5
	blocks     = 27 // heights from 1; block 0 has no parent
	// gcPercent is the value that cmd/fees sets.
	gcPercent = 400
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(gcPercent)
	answers, err := load()
	if err != nil {
		log.Fatalf("%v (run it from the root of the repository)", err)
	}
	if _, _, err := measure(answers, time.Second); err != nil { // warm up
		log.Fatal(err)
	}
	var ours, theirs []float64
	for round := range rounds {
		rate, total, err := measure(answers, time.Second)
		if err != nil {
			log.Fatal(err)
		}
		node, nodeTotal, err := runReference()
		if err != nil {
			log.Fatal(err)
		}
		if total != nodeTotal {
			log.Fatalf("different totals: %s wei by fees, %s wei by the reference", total, nodeTotal)
		}
		fmt.Printf("round %d: fees %6.0f blocks/s, reference %6.0f blocks/s\n", round+1, rate, node)
		ours, theirs = append(ours, rate), append(theirs, node)
	}
	fmt.Printf("median:  fees %6.0f blocks/s, reference %6.0f blocks/s\n", median(ours), median(theirs))
	fmt.Printf("ratio: %.2f\n", median(ours)/median(theirs))
}

// answer contains the responses needed to price one block.
type answer struct{ block, multiplier string }

func load() ([]answer, error) {
	var answers []answer
	for height := 1; height <= blocks; height++ {
		block, err := os.ReadFile(filepath.Join(recordings, "blocks", strconv.Itoa(height)+".json"))
		if err != nil {
			return nil, err
		}
		multiplier, err := os.ReadFile(filepath.Join(recordings, "multiplier", strconv.Itoa(height-1)+".json"))
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer{string(block), string(multiplier)})
	}
	return answers, nil
}

// measure prices all blocks repeatedly for at least the given time, and returns the blocks per second and the total fees
// of one pass.
func measure(answers []answer, atLeast time.Duration) (rate float64, total string, err error) {
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	rules, err := moonbeam.Rules(2100)
	if err != nil {
		return 0, "", err
	}
	start, passes := time.Now(), 0
	for time.Since(start) < atLeast {
		if total, err = pass(answers, rules); err != nil {
			return 0, "", err
		}
		passes++
	}
	return float64(passes*len(answers)) / time.Since(start).Seconds(), total, nil
}

func pass(answers []answer, rules network.Rules) (string, error) {
	var total chain.Wei
	for i, a := range answers {
		b, err := sidecar.DecodeBlock(a.block)
		if err != nil {
			return "", err
		}
		m, err := sidecar.DecodeMultiplier(a.multiplier)
		if err != nil {
			return "", err
		}
		report := fee.Price(b, &rules, chain.Some(chain.StoredMultiplierOf(m)))
		if b.Number != uint64(i+1) || !report.Totals.Complete {
			return "", fmt.Errorf("block %d: wrong block, or incomplete", i+1)
		}
		if total, err = total.Add(report.Totals.Fee); err != nil {
			return "", err
		}
	}
	return total.String(), nil
}

// runReference runs the Node.js measurement for a second after its own warm-up.
func runReference() (rate float64, total string, err error) {
	command := exec.Command("node", reference, recordings, "1", "1")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return 0, "", fmt.Errorf("node %s: %w", reference, err)
	}
	var result struct {
		Rate  float64 `json:"blocks_per_second"`
		Total string  `json:"total_fee"`
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &result); err != nil {
		return 0, "", fmt.Errorf("node %s: %w", reference, err)
	}
	return result.Rate, result.Total, nil
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
