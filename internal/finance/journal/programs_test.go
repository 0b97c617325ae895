package journal_test

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/test/ledgertest"
	programs "github.com/feeledger/fees/internal/test/program"
)

// accounting is a real program: how it verifies a journal and reports sums.
type accounting struct {
	journal.Format
	check, sums []string // "FILE" is in the place of the journal
}

var accountings = []accounting{
	{journal.HLedger, []string{"hledger", "-f", "FILE", "check", "--strict"}, []string{"hledger", "-f", "FILE", "bal", "--flat", "-N", "-E"}},
	{journal.Ledger, []string{"ledger", "--args-only", "-f", "FILE", "bal", "--pedantic"}, []string{"ledger", "--args-only", "-f", "FILE", "bal", "--flat", "--no-total", "--empty"}},
	{journal.Beancount, []string{"bean-check", "FILE"}, []string{"bean-query", "-f", "csv", "FILE", "SELECT account, sum(number) GROUP BY account"}},
}

// required skips the test unless FEES_WITH names accounting programs.
func (p accounting) required(t testing.TB) {
	t.Helper()
	programs.Path(t, programs.Accounting, p.check[0])
}

// program runs a program.
func program(t testing.TB, command []string, file string) (string, error) {
	t.Helper()
	programs.Path(t, programs.Accounting, command[0])
	var args []string
	for _, a := range command[1:] {
		args = append(args, strings.ReplaceAll(a, "FILE", file))
	}
	c := exec.Command(command[0], args...)
	c.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+filepath.Dir(file))
	out, err := c.CombinedOutput()
	return string(out), err
}

// save writes a text to a separate file.
func save(t testing.TB, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// passes requires the program to accept the journal unchanged.
func passes(t testing.TB, p accounting, text string) {
	t.Helper()
	out, err := program(t, p.check, save(t, "test.journal", text))
	require.NoError(t, err, out)
}

var sumLine = regexp.MustCompile(`(?m)^\s*(?:(-?[0-9.]+)(?: GLMR)? +(\S+)|(\S+) *, *(-?[0-9.]+))\s*$`)

// sums returns a program's totals of a journal, in wei by account.
func sums(t testing.TB, p accounting, text string) map[string]*big.Int {
	t.Helper()
	out, err := program(t, p.sums, save(t, "test.journal", text))
	require.NoError(t, err, out)
	found := map[string]*big.Int{}
	for _, m := range sumLine.FindAllStringSubmatch(out, -1) {
		number, account := m[1]+m[4], m[2]+m[3]
		whole, fraction, _ := strings.Cut(number, ".")
		fraction += strings.Repeat("0", 18)
		n, ok := new(big.Int).SetString(whole+fraction[:18], 10)
		require.True(t, ok, number)
		require.Empty(t, strings.Trim(fraction[18:], "0"), number)
		found[account] = n
	}
	return found
}

func forAll(t *testing.T, test func(t *testing.T, recording string, p accounting)) {
	for recording := range lastBlocks {
		for _, p := range accountings {
			t.Run(recording+"/"+p.Name, func(t *testing.T) {
				p.required(t)
				test(t, recording, p)
			})
		}
	}
}

// The programs accept the fee journals and compute the charges by layer and by payer, to the wei.
func TestFeesAddUp(t *testing.T) {
	forAll(t, func(t *testing.T, recording string, p accounting) {
		text := written(t, feesOf(t, recording, style()), p.Format)
		passes(t, p, text)
		have, want := sums(t, p, text), charges(t, recording)
		require.Contains(t, want, "Expenses:Fees:Native")
		for account, n := range want {
			if n.Sign() == 0 && have[account] == nil {
				continue // a payer of fees that were waived
			}
			require.NotNil(t, have[account], account)
			require.Equal(t, n.String(), have[account].String(), account)
		}
		require.LessOrEqual(t, len(have), len(want))
	})
}

// The network's side of the fees is balanced: burned, treasury and author add up to the fees.
func TestNetworkSideAddsUp(t *testing.T) {
	s := style()
	s.NetworkSide = true
	forAll(t, func(t *testing.T, recording string, p accounting) {
		text := written(t, feesOf(t, recording, s), p.Format)
		passes(t, p, text)
		have, want := sums(t, p, text), charges(t, recording)
		charged := new(big.Int).Add(want["Expenses:Fees:EVM"], want["Expenses:Fees:Native"])
		parts := new(big.Int).Add(have["Equity:Network:Burned"], have["Equity:Network:Treasury"])
		require.Equal(t, charged.String(), parts.String())
		require.Equal(t, charged.String(), new(big.Int).Neg(have["Equity:Network:Fees"]).String())
		require.Equal(t, want["Expenses:Fees:EVM"].String(), have["Expenses:Fees:EVM"].String())
	})
}

// All movements of all 18 accounts lead from the opening to the closing balance, as asserted in the journal and
// verified by each program.
func TestMovementsKeepTheirAssertions(t *testing.T) {
	forAll(t, func(t *testing.T, recording string, p accounting) {
		text := written(t, movementsOf(t, recording, 0, lastBlocks[recording], style()), p.Format)
		passes(t, p, text)
		have, charged := sums(t, p, text), charges(t, recording)
		require.Equal(t, charged["Expenses:Fees:EVM"].String(), have["Expenses:Fees:EVM"].String())
		require.Equal(t, charged["Expenses:Fees:Native"].String(), have["Expenses:Fees:Native"].String())
		for account, balances := range ledgertest.RecordedBalances(t, recording) {
			closing := balances[lastBlocks[recording]]
			asset := "Assets:" + account.String()
			for name, want := range map[string]string{asset: closing.Free.String(), asset + ":Reserved": closing.Reserved.String()} {
				if want == "0" && have[name] == nil {
					continue
				}
				require.NotNil(t, have[name], name)
				require.Equal(t, want, have[name].String(), name)
			}
		}
	})
}

var postedElsewhere = regexp.MustCompile(`(?m)^( +Equity:Transfers:\S+  -?[0-9]+\.[0-9]{17})([0-8])( GLMR)`)

// With one wei added to a posting the entry is unbalanced; with one wei moved from an asset to another account an
// assertion fails.
func TestProgramsSeeOneWei(t *testing.T) {
	oneMore := func(text string, place *regexp.Regexp) string {
		m := place.FindStringSubmatchIndex(text)
		require.NotNil(t, m)
		return text[:m[4]] + string(text[m[4]]+1) + text[m[5]:]
	}
	for _, p := range accountings {
		t.Run(p.Name, func(t *testing.T) {
			p.required(t)
			text := written(t, movementsOf(t, "moonbeam-2100", 2, 27, style()), p.Format)
			passes(t, p, text)
			unbalanced := oneMore(text, postedElsewhere)
			require.NotEqual(t, text, unbalanced)
			out, err := program(t, p.check, save(t, "test.journal", unbalanced))
			require.Error(t, err, "%s takes a journal that is not balanced: %s", p.Name, out)
			entry := regexp.MustCompile(`(?s)\n\n[^\n]* \* [^\n]*block 3-4 .*?\n\n`).FindString(text)
			require.NotEmpty(t, entry)
			other := strings.Replace(entry, "-1.002100000000000000 GLMR", "-1.002100000000000001 GLMR", 1)
			other = strings.Replace(other, "  1.000000000000000000 GLMR", "  1.000000000000000001 GLMR", 1)
			require.NotEqual(t, entry, other)
			out, err = program(t, p.check, save(t, "test.journal", strings.Replace(text, entry, other, 1)))
			require.Error(t, err, "%s does not see that a balance is another: %s", p.Name, out)
		})
	}
}

// A continuing journal asserts the closing balances of the previous one, and one file with both is accepted.
func TestJournalsFollowEachOther(t *testing.T) {
	for _, p := range accountings {
		t.Run(p.Name, func(t *testing.T) {
			p.required(t)
			s := style()
			s.Continues = true
			first := written(t, movementsOf(t, "moonbeam-2100", 2, 14, style()), p.Format)
			// The recording has one day: what follows is made another.
			next := strings.NewReplacer("2026-01-01", "2026-01-02", "2026-01-02", "2026-01-03").
				Replace(written(t, movementsOf(t, "moonbeam-2100", 15, 27, s), p.Format))
			require.NotContains(t, next, "Equity:Opening")
			passes(t, p, first+"\n"+next)
			out, err := program(t, p.check, save(t, "test.journal", next))
			require.Error(t, err, "without the one before, %s misses the opening balances: %s", p.Name, out)
		})
	}
}

// One Beancount file includes the journals of all months, of movements and of fees: each account is opened once, even
// though the first journal starts after the ledger and accounts return after a gap.
func TestBeancountIncludesAll(t *testing.T) {
	p := accountings[2]
	p.required(t)
	require.Equal(t, "beancount", p.Name)
	const recording = "moonbeam-2100"
	fees := func(t *testing.T, first, last uint64, s journal.Request) *journal.Journal {
		payments, err := journal.Find(context.Background(), bookOf(t, recording), question(accountsOf(ledgertest.RecordedBalances(t, recording)), first, last))
		require.NoError(t, err)
		j, err := journal.FeeJournal(context.Background(), payments, s)
		require.NoError(t, err)
		return j
	}
	movements := func(t *testing.T, first, last uint64, s journal.Request) *journal.Journal {
		return movementsOf(t, recording, first, last, s)
	}
	for name, made := range map[string]func(*testing.T, uint64, uint64, journal.Request) *journal.Journal{"fees": fees, "movements": movements} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			main := ""
			opened := map[string]bool{}
			for i, span := range []chain.Heights{{First: 6, Last: 10}, {First: 11, Last: 18}, {First: 19, Last: 27}} {
				s := style()
				s.Continues, s.NetworkSide = i > 0, true
				text := written(t, made(t, span.First, span.Last, s), p.Format)
				// The recording has one day: each part is made another.
				text = strings.NewReplacer("2026-01-01", fmt.Sprintf("2026-01-0%d", i+1), "2026-01-02", fmt.Sprintf("2026-01-0%d", i+2)).Replace(text)
				for _, m := range regexp.MustCompile(`(?m)^\S+ open (\S+)$`).FindAllStringSubmatch(text, -1) {
					require.False(t, opened[m[1]], "%s is opened twice", m[1])
					opened[m[1]] = true
				}
				file := fmt.Sprintf("part%d.beancount", i)
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
				main += "include \"" + file + "\"\n"
			}
			// A stand-alone journal opens only its own accounts.
			s := style()
			s.Alone = true
			single := written(t, made(t, 24, 24, s), p.Format)
			passes(t, p, single)
			s.Alone = false
			require.Greater(t, strings.Count(written(t, made(t, 24, 24, s), p.Format), " open "), strings.Count(single, " open "))

			path := filepath.Join(dir, "main.beancount")
			require.NoError(t, os.WriteFile(path, []byte(main), 0o600))
			out, err := program(t, p.check, path)
			require.NoError(t, err, out)
		})
	}
}

// The user's prices keep all their digits, and nothing is rounded.
func TestPricesAreTaken(t *testing.T) {
	list, err := money.Read([]byte("# source: X\ndate,price\n2026-01-01,0.123457\n2026-11-20,0.2\n"), "EUR")
	require.NoError(t, err)
	s := style()
	s.Prices, s.NetworkSide = list, true
	forAll(t, func(t *testing.T, recording string, p accounting) {
		text := written(t, feesOf(t, recording, s), p.Format)
		require.Contains(t, text, "GLMR @ 0.123457 EUR\n")
		passes(t, p, text)
		if p.Name == "hledger" {
			out, err := program(t, []string{"hledger", "-f", "FILE", "bal", "-B", "-N", "--commodity-style", "1.000000000000000000000000 EUR", "Expenses:Fees:EVM"}, save(t, "test.journal", text))
			require.NoError(t, err, out)
			cost := charges(t, recording)["Expenses:Fees:EVM"]
			cost.Mul(cost, big.NewInt(123457)) // in 10^-24 EUR
			have := strings.Fields(out)[0]
			require.Equal(t, cost.String(), strings.TrimLeft(strings.ReplaceAll(have, ".", ""), "0"))
		}
	})
}

// hledger imports each entry once: a longer journal under the same name adds only new entries.
func TestImportDoesNotDouble(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "fees.journal")
	book := filepath.Join(dir, "book.journal")
	all := written(t, feesOf(t, "moonbeam-2100", style()), journal.HLedger)
	// The days of the recording are one: two days are made of it.
	cut := strings.Index(all, "\n2026-01-01 * (0x1acd") // block 10-4
	require.Positive(t, cut)
	second := strings.ReplaceAll(all[cut:], "\n2026-01-01 * ", "\n2026-01-02 * ")
	require.NoError(t, os.WriteFile(book, nil, 0o600))
	for _, text := range []string{all[:cut], all[:cut] + second, all[:cut] + second} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		out, err := program(t, []string{"hledger", "-f", "FILE", "import", path}, book)
		require.NoError(t, err, out)
	}
	imported, err := os.ReadFile(book)
	require.NoError(t, err)
	for _, s := range sentIn(t, "moonbeam-2100") {
		hash := s.EthHash
		if hash == "" {
			hash = s.XtHash
		}
		require.Equal(t, 1, strings.Count(string(imported), hash), hash)
	}
	have := sums(t, accountings[0], "commodity 1000.000000000000000000 GLMR\n"+string(imported))
	require.Equal(t, charges(t, "moonbeam-2100")["Expenses:Fees:EVM"].String(), have["Expenses:Fees:EVM"].String())
}

// The journals of two chains in one file, month after month: each account is opened once in all files, on the earliest day,
// whichever chain used it first.
func TestJournalsOfTwoChains(t *testing.T) {
	for _, p := range accountings {
		t.Run(p.Name, func(t *testing.T) {
			p.required(t)
			all := ""
			for i, spans := range [][2]chain.Heights{{{First: 6, Last: 10}, {First: 2, Last: 4}}, {{First: 11, Last: lastBlocks["moonbeam-2100"]}, {First: 5, Last: lastBlocks["moonbeam-1701"]}}} {
				shared := &journal.Shared{}
				var journals []*journal.Journal
				for k, name := range []string{"moonbeam-2100", "moonbeam-1701"} {
					s := style()
					s.Symbol, s.Continues = []string{"GLMR", "MOVR"}[k], i > 0
					j := movementsOf(t, name, spans[k].First, spans[k].Last, s)
					require.NoError(t, j.Join(t.Context(), shared, p.Format))
					journals = append(journals, j)
				}
				for _, j := range journals {
					// The recordings have one day each: what follows is made another.
					all += strings.NewReplacer("2026-01-01", fmt.Sprintf("2026-01-0%d", i+1), "2026-01-02", fmt.Sprintf("2026-01-0%d", i+2)).Replace(written(t, j, p.Format)) + "\n"
				}
			}
			if p.Name == "beancount" {
				opened := map[string]bool{}
				for _, m := range regexp.MustCompile(`(?m)^\S+ open (\S+)$`).FindAllStringSubmatch(all, -1) {
					require.False(t, opened[m[1]], "%s is opened twice", m[1])
					opened[m[1]] = true
				}
				require.NotEmpty(t, opened)
			}
			passes(t, p, all)
		})
	}
}
