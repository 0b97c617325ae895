//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// What a message tells people to run, they run. These tests extract each command line and each flag with a value from the
// output of a command, split it as a shell does, and run it in a copy of the directory. It must be accepted and lead on: no
// usage error, not the error that it should cure, no circle.

// printedLine matches a command line in a message: in quotes, or after a colon up to the end of the clause.
var printedLine = regexp.MustCompile(`"(fees [^\n]+?)"(?:[.,;)\s]|$)|: (fees [^\n]+?)(?:; |, such|\. [A-Z]|\.?$|\n)`)

// printedLines returns the command lines in a text. Those with a placeholder, such as FILE, cannot be run.
func printedLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		for _, found := range printedLine.FindAllStringSubmatch(strings.TrimSuffix(line, "\n"), -1) {
			if command := found[1] + found[2]; !placeholder.MatchString(command) && !slices.Contains(lines, command) {
				lines = append(lines, command)
			}
		}
	}
	return lines
}

var placeholder = regexp.MustCompile(`(^|[ =/])(FILE|DIR|RANGE|HOST|NAME|LIST|NUMBER|…)|\.\.\.( |$)`)

// shellWords splits a command line as a shell does.
func shellWords(t *testing.T, line string) []string {
	split, err := exec.Command("sh", "-c", `printf '%s\0' `+line).Output()
	require.NoError(t, err, line)
	return strings.Split(strings.TrimSuffix(string(split), "\x00"), "\x00")[1:]
}

// endless are commands that run until they are stopped, or ask.
var endless = []string{"fees demo", "fees follow", "fees watch", "fees worker", "fees serve", "fees gateway serve", "fees archive serve", "fees archive record", "fees tx send"}

// follower follows what commands print.
type follower struct {
	*testing.T
	done map[string]bool // command lines that were followed
}

// outcome is what a command printed.
type outcome struct {
	args []string
	text string // its output, the errors first
	code int
}

func runPrinted(args []string) outcome {
	stdout, stderr, code := fees(args...)
	return outcome{args, stderr + stdout, code}
}

// problem returns the last line of the errors.
func (o *outcome) problem() string {
	lines := regexp.MustCompile(`(?m)^fees: .*$`).FindAllString(o.text, -1)
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// maxSteps is how many commands lead from one to the next.
const maxSteps = 4

// follow runs what a command printed.
func (p *follower) follow(of outcome, before ...string) {
	p.Helper()
	for _, line := range printedLines(of.text) {
		require.NotContains(p, before, line, "commands send each other round in a circle")
		require.Less(p, len(before), maxSteps, "%q", before)
		args := shellWords(p.T, line)
		c := p.parse(line, args)
		if slices.Contains(endless, c.CommandPath()) || p.done[line] {
			continue
		}
		p.done[line] = true
		if c.Flags().Lookup("timeout") != nil {
			args = append(args, "--timeout", "1s")
		}
		place := p.inCopy
		if c.CommandPath() == "fees reconcile" { // it writes nothing
			place = func(do func()) { do() }
		}
		place(func() {
			next := runPrinted(args)
			if !leadsOn.MatchString(next.problem()) {
				require.NotEqual(p, exitUsage, next.code, "%q prints %q, which is refused: %s", of.args, line, next.text)
			}
			if of.problem() != "" && of.code != exitOK {
				require.NotEqual(p, of.problem(), next.problem(), "%q prints %q, which fails alike", of.args, line)
			}
			if next.code == exitOK && of.code > exitFinding && slices.Contains(curing, c.CommandPath()) && !leadsOn.MatchString(next.text) {
				again := runPrinted(of.args)
				require.NotEqual(p, of.text, again.text, "%q prints %q, which changes nothing", of.args, line)
			}
			p.follow(next, append(slices.Clone(before), line)...)
		})
	}
	p.followFlags(of)
}

// curing are commands after which the failed one must not fail alike.
var curing = []string{"fees sync", "fees ledger upgrade"}

// leadsOn matches the output of a command that could do nothing, and says what else to do.
var leadsOn = regexp.MustCompile(`has no (more|newer) final block|belongs to another chain|is older than|is as old as|no accounts are named`)

// parse requires that a command line names a command, its flags and as many arguments as it takes.
func (p *follower) parse(line string, args []string) *cobra.Command {
	root := newRoot(io.Discard, io.Discard)
	root.InitDefaultHelpCmd()
	c, rest, err := root.Find(args)
	require.NoError(p, err, line)
	require.NotEqual(p, root, c, line)
	require.NoError(p, c.ParseFlags(rest), line)
	if slices.Contains(args, "--help") {
		return c
	}
	require.NoError(p, c.ValidateArgs(c.Flags().Args()), line)
	return c
}

// inCopy runs a function in a copy of the current directory.
func (p *follower) inCopy(do func()) {
	here, err := os.Getwd()
	require.NoError(p, err)
	there := p.TempDir()
	require.NoError(p, os.CopyFS(there, os.DirFS(here)))
	require.NoError(p, os.Chdir(there))
	defer func() { require.NoError(p, os.Chdir(here)) }()
	do()
}

// printedFlag matches a flag for reading a record with a value that can be given as it is.
var printedFlag = regexp.MustCompile(`--(unit|decimal|thousands|separator|encoding|date-format|cut-decimals|profile|skip-rows|header-row|sheet|map) ('(?:[^']|'\\'')*'|[^\s;:)"]+)`)

// noValue matches words after a flag that are not its value.
var noValue = regexp.MustCompile(`^(to|for|or|and|if|is|expects|with|lists|names|says|flag|must)$|NAME|N$|[A-Z]{3,}=|^--|is$|[.,]$.`)

// followFlags adds each printed flag to the command.
func (p *follower) followFlags(of outcome) {
	if len(of.args) == 0 || of.args[0] != "reconcile" {
		return
	}
	prose := printedLine.ReplaceAllString(of.text, "")
	for _, found := range printedFlag.FindAllStringSubmatch(prose, -1) {
		name, value := found[1], found[2]
		if len(value) > 1 && !strings.HasPrefix(value, "'") {
			value = strings.TrimRight(value, ",.")
		}
		if value == "" || slices.Contains(of.args, "--"+name) || noValue.MatchString(value) || p.done[strings.Join(of.args, " ")+found[0]] {
			continue
		}
		p.done[strings.Join(of.args, " ")+found[0]] = true
		next := runPrinted(append(slices.Clone(of.args), "--"+name, shellWords(p.T, "x "+value)[0]))
		require.NotRegexp(p, `--`+name+` [^;]*(must|want|unknown)|(unknown|invalid|is given twice)`, next.problem(), "%q prints %q", of.args, found[0])
		switch {
		case strings.Contains(of.problem(), "no accounts are named"): // the flag is about the file
		case of.code == exitUsage:
			require.NotEqual(p, of.problem(), next.problem(), "%q prints %q, which fails alike", of.args, found[0])
		default:
			require.NotEqual(p, exitUsage, next.code, "%q prints %q, which is refused: %s", of.args, found[0], next.text)
		}
	}
}

// Everything that fees reconcile prints about exports, records with faults and files that are not understood, is accepted.
func TestPrintedForRecords(t *testing.T) {
	testdata, err := filepath.Abs("testdata")
	require.NoError(t, err)
	demoMonth(t)
	p := &follower{t, map[string]bool{}}
	var files []string
	for _, folder := range []string{"imports", "records"} {
		list, err := filepath.Glob(filepath.Join(testdata, folder, "*"))
		require.NoError(t, err)
		files = append(files, list...)
	}
	require.GreaterOrEqual(t, len(files), 20)
	for name, text := range hostileRecords() {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		files = append(files, name)
	}
	slices.Sort(files)
	lines := 0
	for i, file := range files {
		args := []string{"reconcile", file, "--month", "2026-01", "--quiet"}
		if i%8 > 0 { // without accounts, there are commands to choose them
			args = append(args, "--accounts", "group:company")
		}
		of := runPrinted(args)
		lines += len(printedLines(of.text))
		p.follow(of)
	}
	require.Greater(t, lines, 20, "command lines")
}

// hostileRecords returns records of the demo's company in forms that are not understood at once.
func hostileRecords() map[string]string {
	const hash = "0x2be578b75fee9f4bf0e88f95e47c602056300c253987c192f8d9efcd281fa5f5"
	return map[string]string{
		"no unit.csv":         "hash,fee\n" + hash + ",0.021797132753844\n",
		"comma.csv":           "hash;Fee (GLMR)\n" + hash + ";0,021797132753844\n",
		"either-comma.csv":    "hash;Fee (GLMR)\n" + hash + ";1,234\n",
		"two-columns.csv":     "hash,Fee,Fee\n" + hash + ",1,21797132753844000\n",
		"two-names.csv":       "hash,\"Fee, net (wei)\",\"Gas, Fee (wei)\"\n" + hash + ",1,2\n",
		"preamble.csv":        "Our fees\n\nBeleg;Betrag (GLMR);Tag\n" + hash + ";0,021797132753844;31.01.2026\n",
		"either-day.csv":      "hash;fee_wei;date\n" + hash + ";5;03/04/2026\n",
		"no-date.csv":         "hash;fee_wei;date\n" + hash + ";5;Q1\n",
		"signs.csv":           "hash;fee_wei\n" + hash + ";-5\n" + hash + ";6\n",
		"footer.csv":          "hash;fee_wei\n" + hash + ";5\nExported by our ERP\n",
		"fraction.csv":        "hash,fee_wei\n" + hash + ",0.021797132753844\n",
		"other-asset.csv":     "hash,fee\n" + hash + ",0.02 ETH\n",
		"dollars.csv":         "hash,Fee (USD)\n" + hash + ",0.02\n",
		"old.csv":             "hash;fee_wei;G\xfcte\n" + hash + ";5;x\n",
		"quote's \"own\".csv": "Ref;Kosten\n" + hash + ";0,5\n",
		"rounded.csv":         "hash;fee_wei\n" + hash + ";2.10E+15\n",
		"koinly.csv":          "Date,Sent Amount,Sent Currency,Fee Amount,Fee Currency,Net Worth Amount,TxHash\n31/01/2026,1,GLMR,zero,GLMR,,x\n",
		"empty.csv":           "",
		"header.csv":          "hash,fee_wei\n",
		"no-header.csv":       hash + ",5\n",
		"blocks.csv":          "Txhash,Block,Nonce,Gas Used,Height,Index,UnixTimestamp\n" + hash + ",1,2,21000,1,4,1769819400\n",
	}
}

// A column of heights, counts or times is never proposed as the fee, nor a block's hash as the transaction's.
func TestNeverProposed(t *testing.T) {
	demoMonth(t)
	const hash = "0x2be578b75fee9f4bf0e88f95e47c602056300c253987c192f8d9efcd281fa5f5"
	for _, name := range []string{"Block", "blockNumber", "block_number", "BlockNo", "Block Height", "Height", "Höhe", "Nonce", "Tx Nonce", "Index", "TxIndex", "Position", "Gas", "Gas Used", "gasUsed", "GAS_LIMIT", "gasPrice",
		"Number", "No.", "#", "Timestamp", "UnixTimestamp", "time", "DateTime", "Block Time", "When", "Epoch", "Zeitstempel", "Numéro", "Blocknummer", "Confirmations", "Balance", "Chain ID", "Slot", "Counter"} {
		for _, value := range []string{"1234", "1769819400", "1769819400000"} {
			require.NoError(t, os.WriteFile("own.csv", []byte("Txhash,"+name+"\n"+hash+","+value+"\n"), 0o600))
			_, stderr, code := fees("reconcile", "own.csv", "--month", "2026-01", "--accounts", "group:company", "--quiet")
			require.Equal(t, exitUsage, code, name)
			require.Contains(t, stderr, "is known as the fee", name)
			require.NotContains(t, stderr, "Read it with", name)
		}
	}
	for _, name := range []string{"Gas Fee Total", "gas cost", "Kosten", "Blockchain fee total", "Paid"} {
		require.NoError(t, os.WriteFile("own.csv", []byte("Txhash,"+name+"\n"+hash+",0.021797132753844\n"), 0o600))
		_, stderr, _ := fees("reconcile", "own.csv", "--month", "2026-01", "--accounts", "group:company", "--quiet")
		require.Contains(t, stderr, "fee="+name, name)
	}
	for _, other := range []string{"Block Hash", "parentHash", "Event ID"} {
		value := hash
		if strings.HasSuffix(other, "ID") {
			value = "1-4"
		}
		require.NoError(t, os.WriteFile("own.csv", []byte(other+",Fee (GLMR)\n"+value+",0.02\n"), 0o600))
		_, stderr, _ := fees("reconcile", "own.csv", "--month", "2026-01", "--accounts", "group:company", "--quiet")
		require.Contains(t, stderr, "identifies the transaction", other)
		require.NotContains(t, stderr, "Read it with", other)
	}
}

// An export without fees names the export that has them, until a column is mapped.
func TestExportWithoutFees(t *testing.T) {
	records, err := filepath.Abs("testdata/records")
	require.NoError(t, err)
	demoMonth(t)
	file := filepath.Join(records, "subscan-extrinsics-nofee.csv")
	_, stderr, code := fees("reconcile", file, "--month", "2026-01", "--accounts", "group:company", "--quiet")
	require.Equal(t, exitUsage, code)
	require.Equal(t, fmt.Sprintf("fees: %s: line 1: this is the Subscan export of extrinsics, which has no fees. Export the extrinsics of the account, with the column \"Used Fee\", instead\n", file), stderr)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	own := strings.ReplaceAll(string(text), "\r", "")
	own = strings.ReplaceAll(strings.Replace(own, "\n", ",Netto\n", 1), ".transact\n", ".transact,0.1\n")
	require.NoError(t, os.WriteFile("own.csv", []byte(own), 0o600))
	_, stderr, _ = fees("reconcile", "own.csv", "--month", "2026-01", "--accounts", "group:company", "--map", "fee=Netto", "--unit", "token")
	require.NotContains(t, stderr, "Subscan")
}
