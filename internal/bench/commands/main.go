// Command commands measures common commands on an existing ledger: the median time of several runs, and the peak
// memory.
package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	program := flag.String("fees", "fees", "fees program")
	place := flag.String("ledger", "fees.db", "ledger to use")
	month := flag.String("month", "2025-03", "month in the ledger")
	days := flag.String("days", "2025-01-02..2025-04-30", "days in the ledger, for an account's statement")
	runs := flag.Int("runs", 5, "runs of each command")
	flag.Parse()
	if err := measure(*program, *place, *month, *days, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// exitFinding is the exit code of a command that found a failed check. Sample blocks have some.
const exitFinding = 1

func measure(program, place, month, days string, runs int) error {
	directory, err := os.MkdirTemp("", "bench-commands")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	busy, quiet, err := accountsOf(program, place, month)
	if err != nil {
		return err
	}
	accounts := filepath.Join(directory, "accounts.csv")
	if err := os.WriteFile(accounts, []byte("address,label\n"+quiet+",Quiet\n"), 0o600); err != nil {
		return err
	}
	from, to, _ := strings.Cut(days, "..")
	out := filepath.Join(directory, "out")
	for _, command := range []string{
		"ledger status",
		"report --by month",
		"report --by day",
		"report --by day --timezone Europe/Berlin",
		"report --by contract",
		"report --by account",
		"report --month " + month + " --by day",
		"report --month " + month + " --by account",
		"report --month " + month + " --by account --percentiles",
		"statement " + quiet + " --from " + from + " --to " + to + " --no-balances",
		"statement " + busy + " --month " + month + " --no-balances",
		"close --month " + month + " --accounts " + accounts + " --no-balances -o " + out,
	} {
		var times []time.Duration
		var most int64
		var refused error // a report may have too many groups for its memory limit
		for range runs {
			if err := os.RemoveAll(out); err != nil {
				return err
			}
			start := time.Now()
			process, err := run(program, place, command, io.Discard)
			if process == nil {
				return err
			}
			if refused = err; err != nil {
				refused = fmt.Errorf("refused: %w", err)
			}
			times = append(times, time.Since(start))
			most = max(most, peak(process))
		}
		slices.Sort(times)
		fmt.Printf("%-64s %8.3f s  %6d MB\n", shown(command, directory), times[len(times)/2].Seconds(), most>>20)
		if refused != nil {
			fmt.Println("\t", refused)
		}
	}
	return nil
}

// run runs a command on a ledger, without the user's gateway.
func run(program, place, command string, stdout io.Writer) (*os.ProcessState, error) {
	c := exec.Command(program, append(strings.Fields(command), "--ledger", place)...)
	c.Env = append(os.Environ(), "FEES_GATEWAY=", "GATEWAY_NODE_URL=")
	var said strings.Builder
	c.Stdout, c.Stderr = stdout, &said
	err := c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == exitFinding {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("fees %s: %w: %s", command, err, said.String())
	}
	return c.ProcessState, err
}

// accountsOf returns the account with the most transactions in a month, and one with the fewest.
func accountsOf(program, place, month string) (busy, quiet string, err error) {
	in, out := io.Pipe() // the system counts this program's memory as the command's
	go func() {
		_, err := run(program, place, "report --month "+month+" --by account --format csv", out)
		out.CloseWithError(err)
	}()
	rows := csv.NewReader(in)
	names, err := rows.Read()
	if err != nil {
		return "", "", err
	}
	account, evm := slices.Index(names, "account"), slices.Index(names, "evm")
	most, fewest := -1, math.MaxInt
	for {
		r, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", "", err
		}
		n, err := strconv.Atoi(r[evm])
		if err != nil || r[account] == "" {
			continue
		}
		if n > most {
			most, busy = n, r[account]
		}
		if n > 0 && n < fewest {
			fewest, quiet = n, r[account]
		}
	}
	return busy, quiet, nil
}

// shown returns a command without the paths of temporary files.
func shown(command, directory string) string { return strings.ReplaceAll(command, directory+"/", "") }
