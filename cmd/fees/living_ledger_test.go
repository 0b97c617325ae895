package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/internal/test/program"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/internal/test/tier"
)

// living is a recorded chain whose accounts have 32 bytes.
type living struct {
	name, table    string
	last, decimals int
}

var livingChains = []living{{"creditcoin3-87", "creditcoin.json", 27, 18}, {"bittensor-218", "bittensor.json", 26, 9}}

func (l *living) flags(book string) []string {
	return []string{"--network-file", repository.Path("network", "tables", l.table), "--ledger", book}
}

// livingSent is a transaction that was sent to a chain: who signed it, and what that account was charged.
type livingSent struct {
	From, SS58 string
	EthHash    string
	XtHash     string
	Height     int
	Index      int
	Charged    string `json:"charged_wei"`
}

func (l *living) sent(t *testing.T) (list []livingSent) {
	text, err := os.ReadFile(pairs.Path(t, l.name, "gateway", "sent.json"))
	require.NoError(t, err)
	var file struct{ Sent []livingSent }
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Sent)
	return file.Sent
}

// accounts are the recorded ones.
func (l *living) accounts(t *testing.T) (list []string) {
	entries, err := os.ReadDir(pairs.Path(t, l.name, "gateway", "balance-info"))
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	require.Len(t, list, 26)
	return list
}

// balance is an account's free and reserved balance after a block, in the token's smallest unit.
func (l *living) balance(t *testing.T, account string, height int) (free, reserved string) {
	text, err := os.ReadFile(pairs.Path(t, l.name, "gateway", "balance-info", account, fmt.Sprint(height)+".json"))
	require.NoError(t, err)
	var b struct{ Free, Reserved string }
	require.NoError(t, json.Unmarshal(text, &b))
	return b.Free, b.Reserved
}

var sealIn = regexp.MustCompile(`seal ([0-9a-f]{64})`)

// A ledger of a chain with accounts of 32 bytes is the same from the gateway's answers and straight from the node, and what
// each account paid is what was charged when its transactions were sent.
func TestLedgersOfLivingChains(t *testing.T) {
	t.Parallel()
	for _, l := range livingChains {
		t.Run(l.name, func(t *testing.T) {
			dir := t.TempDir()
			blocks := fmt.Sprintf("0..%d", l.last)
			recorded := pairs.Path(t, l.name, "gateway")
			node := httptest.NewServer(nodetest.OpenPair(t, l.name))
			defer node.Close()
			var seals []string
			for i, source := range []string{recorded, node.URL} {
				out, stderr, code := fees(append([]string{"sync", blocks, "--gateway", source}, l.flags(filepath.Join(dir, fmt.Sprintf("%d.db", i)))...)...)
				require.Zero(t, code, stderr)
				require.Regexp(t, sealIn, out)
				seals = append(seals, sealIn.FindStringSubmatch(out)[1])
			}
			require.Equal(t, seals[0], seals[1])
			book := filepath.Join(dir, "0.db")
			out, stderr, code := fees("ledger", "verify", "--ledger", book)
			require.Zero(t, code, out+stderr)

			want, count := map[string]chain.Wei{}, map[string]int{}
			var all chain.Wei
			for _, x := range l.sent(t) {
				charged, err := chain.ParseWei(x.Charged)
				require.NoError(t, err)
				want[x.SS58], err = want[x.SS58].Add(charged)
				require.NoError(t, err)
				all, err = all.Add(charged)
				require.NoError(t, err)
				count[x.SS58]++
			}
			out, stderr, code = fees(append([]string{"report", "--by", "account", "--format", "json"}, l.flags(book)...)...)
			require.Zero(t, code, stderr)
			var report struct {
				Totals struct{ Charged string }
				Groups []struct {
					Account, Charged string
					EVM, Native      int
				}
			}
			require.NoError(t, json.Unmarshal([]byte(out), &report), out)
			require.Equal(t, all.String(), report.Totals.Charged)
			units := fmt.Sprintf("%0*s", l.decimals+1, all)
			inTokens := units[:len(units)-l.decimals] + "." + units[len(units)-l.decimals:]
			for _, form := range []string{"table", "csv", "html"} {
				out, stderr, code := fees(append([]string{"report", "--by", "month", "--format", form}, l.flags(book)...)...)
				require.Zero(t, code, stderr)
				require.Contains(t, out, inTokens, form)
			}
			require.Len(t, report.Groups, len(want))
			for _, g := range report.Groups {
				require.Equal(t, want[g.Account].String(), g.Charged, g.Account)
				require.Equal(t, count[g.Account], g.EVM+g.Native, g.Account)
			}
		})
	}
}

// Statements are proved at every block, and the rollforward leads to the balances that the storage holds, in the token.
func TestStatementsOfLivingChains(t *testing.T) {
	t.Parallel()
	for _, l := range livingChains {
		t.Run(l.name, func(t *testing.T) {
			dir := t.TempDir()
			book := filepath.Join(dir, "fees.db")
			recorded := pairs.Path(t, l.name, "gateway")
			_, stderr, code := fees(append([]string{"sync", fmt.Sprintf("0..%d", l.last), "--gateway", recorded}, l.flags(book)...)...)
			require.Zero(t, code, stderr)
			accounts := l.accounts(t)
			own := filepath.Join(dir, "own.csv")
			require.NoError(t, os.WriteFile(own, []byte(strings.Join(accounts, "\n")), 0o600))

			out, stderr, code := fees(append([]string{"statement", "--accounts", own, "--gateway", recorded, "--every-block", "--format", "json"}, l.flags(book)...)...)
			require.Zero(t, code, stderr)
			require.Equal(t, len(accounts), strings.Count(out, "\n"))

			out, stderr, code = fees(append([]string{"rollforward", "--accounts", own, "--gateway", recorded, "--format", "json"}, l.flags(book)...)...)
			require.Zero(t, code, stderr)
			var rolled struct {
				Rollforwards []struct {
					Scope, Account   string
					Opening, Closing struct{ Free, Reserved string }
				}
			}
			require.NoError(t, json.Unmarshal([]byte(out), &rolled))
			checked := 0
			for _, r := range rolled.Rollforwards {
				if r.Scope != "account" {
					continue
				}
				checked++
				free, reserved := l.balance(t, r.Account, 0)
				require.Equal(t, []string{free, reserved}, []string{r.Opening.Free, r.Opening.Reserved}, r.Account)
				free, reserved = l.balance(t, r.Account, l.last)
				require.Equal(t, []string{free, reserved}, []string{r.Closing.Free, r.Closing.Reserved}, r.Account)
			}
			require.Equal(t, len(accounts), checked)
		})
	}
}

// A package of a month is the same when it is made again, and holds every fee of the accounts.
func TestPackagesOfLivingChains(t *testing.T) {
	t.Parallel()
	for _, l := range livingChains {
		t.Run(l.name, func(t *testing.T) {
			dir := t.TempDir()
			book, made := filepath.Join(dir, "fees.db"), filepath.Join(dir, "january")
			recorded := pairs.Path(t, l.name, "gateway")
			_, stderr, code := fees(append([]string{"sync", fmt.Sprintf("0..%d", l.last), "--gateway", recorded}, l.flags(book)...)...)
			require.Zero(t, code, stderr)
			x := l.sent(t)[0]
			labels := filepath.Join(dir, "accounts.csv") // beside the ledger; the EVM address stands for its account
			require.NoError(t, os.WriteFile(labels, []byte("address,label,group,account\n"+x.From+",Alith,ours,Assets:Alith\n5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY,Alice,ours,Assets:Alice\n"), 0o600))
			_, stderr, code = fees(append([]string{"close", "--month", "2026-01", "--partial", "--accounts", "group:ours", "--gateway", recorded, "-o", made}, l.flags(book)...)...)
			require.Zero(t, code, stderr)
			_, stderr, code = fees("close", "--check", made, "--gateway", recorded, "--ledger", book)
			require.Zero(t, code, stderr)
			read, err := os.ReadFile(filepath.Join(made, "report.json"))
			require.NoError(t, err)
			var want chain.Wei
			for _, sent := range l.sent(t) {
				if sent.SS58 == x.SS58 || sent.SS58 == "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY" {
					charged, err := chain.ParseWei(sent.Charged)
					require.NoError(t, err)
					want, err = want.Add(charged)
					require.NoError(t, err)
				}
			}
			require.Contains(t, string(read), `"charged": "`+want.String()+`"`)

			journal := filepath.Join(dir, "movements.journal")
			_, stderr, code = fees(append([]string{"export", "--as", "hledger", "--with", "movements", "--accounts", "group:ours", "--gateway", recorded, "-o", journal}, l.flags(book)...)...)
			require.Zero(t, code, stderr)
			hledger := exec.Command(program.Path(t, program.Accounting, "hledger"), "-f", journal, "balance", "--flat", "-N", "-E", "Assets:Alith")
			out, err := hledger.CombinedOutput()
			require.NoError(t, err, string(out)) // it asserts the balances
			free, _ := l.balance(t, x.SS58, l.last)
			require.Contains(t, strings.ReplaceAll(string(out), ".", ""), free+" ")
		})
	}
}

// A package is checked against the blocks without its ledger. Each base fee that was altered there is found, also the one
// after the last block, which prices nothing in the package: it does not follow from the block.
func TestPackagesFindAlteredBaseFees(t *testing.T) {
	t.Parallel()
	for _, l := range tier.Some(1, livingChains) {
		t.Run(l.name, func(t *testing.T) {
			dir := t.TempDir()
			book, made, gateway := filepath.Join(dir, "fees.db"), filepath.Join(dir, "january"), filepath.Join(dir, "gateway")
			recorded := pairs.Path(t, l.name, "gateway")
			_, stderr, code := fees(append([]string{"sync", fmt.Sprintf("0..%d", l.last), "--gateway", recorded}, l.flags(book)...)...)
			require.Zero(t, code, stderr)
			_, stderr, code = fees(append([]string{"close", "--month", "2026-01", "--partial", "--accounts", l.sent(t)[0].From, "--gateway", recorded, "-o", made}, l.flags(book)...)...)
			require.Zero(t, code, stderr)
			require.NoError(t, os.Remove(book))
			require.NoError(t, os.CopyFS(gateway, os.DirFS(recorded)))
			check := func() (string, int) {
				out, stderr, code := fees("close", "--check", made, "--gateway", gateway)
				return out + stderr, code
			}
			out, code := check()
			require.Zero(t, code, out)
			for height := range l.last + 1 {
				path := filepath.Join(gateway, "base-fee", fmt.Sprintf("%d.json", height))
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				value := regexp.MustCompile(`"value":"([0-9]+)([0-9])"`).FindStringSubmatch(string(text))
				require.NotNil(t, value, string(text))
				other := strings.Replace(string(text), value[0], `"value":"`+value[1]+string(value[2][0]^1)+`"`, 1)
				require.NoError(t, os.WriteFile(path, []byte(other), 0o600))
				out, code := check()
				require.Equal(t, exitFinding, code, "height %d: %s", height, out)
				require.NoError(t, os.WriteFile(path, text, 0o600))
			}
		})
	}
}

// A company's record of what was charged, in the token, agrees with the ledger; a changed amount is found.
func TestRecordsOfLivingChains(t *testing.T) {
	t.Parallel()
	for symbol, l := range map[string]living{"CTC": livingChains[0], "TAO": livingChains[1]} {
		t.Run(l.name, func(t *testing.T) {
			dir := t.TempDir()
			book, own, record, fixed := filepath.Join(dir, "fees.db"), filepath.Join(dir, "own.csv"), filepath.Join(dir, "record.csv"), filepath.Join(dir, "fixed.csv")
			_, stderr, code := fees(append([]string{"sync", fmt.Sprintf("0..%d", l.last), "--gateway", pairs.Path(t, l.name, "gateway")}, l.flags(book)...)...)
			require.Zero(t, code, stderr)
			var accounts, amounts []string
			lines := []string{"hash,payer,Fee (" + symbol + ")"}
			for i, x := range l.sent(t) {
				hash, payer := x.EthHash, x.SS58
				if hash == "" {
					hash = x.XtHash
				} else if i%2 == 0 {
					payer = x.From
				}
				units := fmt.Sprintf("%0*s", l.decimals+1, x.Charged)
				amounts = append(amounts, units[:len(units)-l.decimals]+"."+units[len(units)-l.decimals:])
				lines = append(lines, hash+","+payer+","+amounts[i])
				accounts = append(accounts, x.SS58)
			}
			require.NoError(t, os.WriteFile(own, []byte(strings.Join(accounts, "\n")), 0o600))
			compare := func(more ...string) (out, stderr string, code int) {
				require.NoError(t, os.WriteFile(record, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
				return fees(append(append([]string{"reconcile", record, "--accounts", own}, l.flags(book)...), more...)...)
			}
			out, stderr, code := compare("--format", "json", "--fix", fixed)
			require.Zero(t, code, out+stderr)
			require.Contains(t, out, `"reconciled": true`)
			read, err := os.ReadFile(fixed)
			require.NoError(t, err)
			for i, line := range strings.Split(strings.TrimSpace(string(read)), "\n")[1:] {
				cells := strings.Split(line, ",")
				require.Equal(t, []string{"matched", amounts[i]}, []string{cells[3], cells[5]}, line)
			}

			least := "0." + strings.Repeat("0", l.decimals-1) + "1"
			last := amounts[3][len(amounts[3])-1]
			lines[4] = strings.TrimSuffix(lines[4], string(last)) + string(last^1)
			out, _, code = compare()
			require.Equal(t, exitFinding, code, out)
			require.Regexp(t, `amount_differs +5 .*`+least, out)
			out, stderr, code = compare("--tolerance", least+" "+symbol)
			require.Zero(t, code, out+stderr)
			require.Regexp(t, `within_tolerance +1 `, out)
			lines = append(lines[:4], lines[5:]...)
			out, _, code = compare()
			require.Equal(t, exitFinding, code, out)
			require.Regexp(t, `only_on_chain +1 .*`+strings.TrimRight(amounts[3], "0"), out)
		})
	}
}

// An EVM address stands for its account in the other commands, too: they verify, record and sample the same.
func TestEVMAddressesOfLivingChains(t *testing.T) {
	t.Parallel()
	for _, l := range livingChains {
		t.Run(l.name, func(t *testing.T) {
			dir := t.TempDir()
			book, archive := filepath.Join(dir, "fees.db"), filepath.Join(dir, "archive")
			recorded := pairs.Path(t, l.name, "gateway")
			server := httptest.NewServer(gatewaytest.Handler(recorded))
			defer server.Close()
			table := l.flags(book)[:2]
			x := l.sent(t)[0]
			out, stderr, code := fees(append([]string{"archive", "record", "1..9", "-o", archive, "--accounts", x.From + "," + x.SS58, "--gateway", server.URL}, table...)...)
			require.Zero(t, code, out+stderr)
			for _, source := range []string{recorded, archive} {
				want := ""
				for _, name := range []string{x.SS58, x.From, x.From + "," + x.SS58} {
					blocks := "2..9" // the archive does not have the balance before its first block
					out, stderr, code := fees(append([]string{"verify", blocks, "--accounts", name, "--gateway", source, "--format", "json"}, table...)...)
					require.Zero(t, code, out+stderr)
					require.Regexp(t, `"id":"account\.balance"[^{]*"held":8,"broken":0,`, out)
					if want == "" {
						want = out
					}
					require.Equal(t, want, out, name)
				}
			}
			account, err := chain.ParseAccount(x.SS58)
			require.NoError(t, err)
			free, _ := l.balance(t, x.SS58, 9)
			for _, name := range []string{x.SS58, account.SS58(5), fmt.Sprintf("0x%x", account.Bytes())} {
				out, stderr, code := fees("gateway", "balance", name, "--at", "9", "--gateway", server.URL, "--format", "json")
				require.Zero(t, code, out+stderr)
				require.Contains(t, out, `"account": "`+x.SS58+`"`)
				require.Contains(t, out, `"free": "`+free+`"`)
			}
			both := filepath.Join(dir, "both.json")
			text, err := os.ReadFile(table[1])
			require.NoError(t, err)
			var one, two struct {
				Networks []json.RawMessage `json:"networks"`
			}
			require.NoError(t, json.Unmarshal(text, &one))
			text, err = os.ReadFile(repository.Path("network", "tables", "vflow-testnet.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &two))
			one.Networks = append(one.Networks, two.Networks...)
			text, err = json.Marshal(one)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(both, text, 0o600))
			_, stderr, code = fees("archive", "record", "1..9", "-o", filepath.Join(dir, "other"), "--accounts", x.From, "--gateway", server.URL, "--network-file", both)
			require.Equal(t, exitUsage, code)
			require.Contains(t, stderr, "have accounts of different sizes")

			_, stderr, code = fees(append([]string{"sync", "0..9", "--gateway", recorded}, l.flags(book)...)...)
			require.Zero(t, code, stderr)
			sample := append([]string{"sample", "--size", "3", "--seed", "s", "--format", "csv"}, l.flags(book)...)
			named, stderr, code := fees(append(sample, "--accounts", x.SS58)...)
			require.Zero(t, code, stderr)
			require.Equal(t, 4, strings.Count(named, "\n"), named)
			out, stderr, code = fees(append(sample, "--accounts", x.From)...)
			require.Zero(t, code, stderr)
			require.Equal(t, named, out)
		})
	}
}

// PostgreSQL holds the same ledger.
func TestLivingLedgersInPostgreSQL(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	for _, l := range livingChains {
		sync := append([]string{"sync", fmt.Sprintf("0..%d", l.last), "--gateway", pairs.Path(t, l.name, "gateway")}, l.flags(filepath.Join(t.TempDir(), "fees.db"))...)
		file, stderr, code := fees(sync...)
		require.Zero(t, code, stderr)
		sync[len(sync)-1] = server.Database(t)
		database, stderr, code := fees(sync...)
		require.Zero(t, code, stderr)
		require.Equal(t, sealIn.FindString(file), sealIn.FindString(database))
		out, stderr, code := fees("ledger", "verify", "--ledger", sync[len(sync)-1])
		require.Zero(t, code, out+stderr)
	}
}

// One account has many names: SS58 with any prefix, hex, and the EVM address that it is made from.
func TestNamesOfLivingAccounts(t *testing.T) {
	t.Parallel()
	l := livingChains[0]
	book := filepath.Join(t.TempDir(), "fees.db")
	_, stderr, code := fees(append([]string{"sync", "0..9", "--gateway", pairs.Path(t, l.name, "gateway")}, l.flags(book)...)...)
	require.Zero(t, code, stderr)
	x := l.sent(t)[0]
	account, err := chain.ParseAccount(x.SS58)
	require.NoError(t, err)
	want, stderr, code := fees(append([]string{"account", x.SS58, "--format", "json"}, l.flags(book)...)...)
	require.Zero(t, code, stderr)
	require.Contains(t, want, x.SS58)
	require.Contains(t, want, `"evm": 3`)
	for _, name := range []string{account.SS58(0), account.SS58(7391), fmt.Sprintf("0x%x", account.Bytes())} {
		have, stderr, code := fees(append([]string{"account", name, "--format", "json"}, l.flags(book)...)...)
		require.Zero(t, code, stderr)
		require.Equal(t, want, have, name)
	}
	out, stderr, code := fees(append([]string{"account", x.From}, l.flags(book)...)...)
	require.Zero(t, code, stderr)
	require.Contains(t, out, x.SS58)
	require.Regexp(t, `evm address +`+x.From, out)
	out, stderr, code = fees(append([]string{"report", "--accounts", x.From + "," + account.SS58(0)}, l.flags(book)...)...)
	require.Zero(t, code, stderr)
	require.Regexp(t, `EVM transactions +3\n`, out)

	out, stderr, code = fees("account", x.From, "--ledger", book) // by the built-in table
	require.Zero(t, code, stderr)
	require.Contains(t, out, x.SS58)
	_, stderr, code = fees(append([]string{"account", x.SS58[:20] + "z" + x.SS58[21:]}, l.flags(book)...)...)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "SS58 of 32 bytes with a valid checksum")
}
