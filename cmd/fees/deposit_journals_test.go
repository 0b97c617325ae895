package main

import (
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/program"
)

// revive is a ledger of the recorded chain with pallet revive, and its accounts: two payers, a contract that holds deposits, and
// one that clears what others paid.
type revive struct {
	recorded string
	flags    []string
}

const (
	reviveBaltathar = "5DSSiJevXj8XQ6uKD5ZNQJEimLPWwxuW4MZE9YNcAtRsYgVG"
	reviveCharleth  = "5Ep5dBwRE7mhFsH69SLRTSHYJ7yugeTycZHeT8Ez4DPACvqz"
	reviveDorothy   = "5Em1NEHgVvpXYBEzWeNf9JzuLyvuyyn3ZLifywLQPGdqFVU2"
	reviveContract  = "5Cq1onJs8s8arASiDZTWU7C3cCEdvsq5QcR1Pp4E3A5DsD7n"
)

// reviveFrom fills a ledger from a block on.
func reviveFrom(t *testing.T, first int) revive {
	r := revive{pairs.Path(t, "stack-template-3", "gateway"), []string{"--ledger", filepath.Join(t.TempDir(), "fees.db"), "--network-file", "../../testdata/networks/stack-template-3.json"}}
	out, stderr, _ := fees(append([]string{"sync", fmt.Sprintf("%d..37", first), "--gateway", r.recorded}, r.flags...)...)
	require.Regexp(t, sealIn, out, stderr)
	return r
}

// run runs a command that needs balances.
func (r *revive) run(t *testing.T, args ...string) (out, stderr string) {
	out, stderr, code := fees(append(append(args, "--gateway", r.recorded), r.flags...)...)
	require.Zero(t, code, stderr)
	return out, stderr
}

func (r *revive) journal(t *testing.T, blocks, accounts, form string, more ...string) string {
	out, _ := r.run(t, append([]string{"export", blocks, "--with", "movements", "--as", form, "--accounts", accounts}, more...)...)
	return out
}

var openedIn = regexp.MustCompile(`(?m)balance of Assets:Deposits after block \d+"?\n +Assets:Deposits  (-?\d+)\.(\d{12}) `)

// openingIn returns what a journal enters as the opening of deposits; 0 for none.
func openingIn(t *testing.T, journal string) string {
	found := openedIn.FindStringSubmatch(journal)
	if found == nil {
		return "0"
	}
	n, ok := new(big.Int).SetString(found[1]+found[2], 10)
	require.True(t, ok)
	return n.String()
}

// The journals of two periods follow each other: the second one opens Assets:Deposits with what is open after the first, as the
// list of deposits states it, wherever the chain is cut, and for payers, holders and all of them together.
func TestJournalsOpenDeposits(t *testing.T) {
	t.Parallel()
	r := reviveFrom(t, 0)
	for _, accounts := range []string{reviveBaltathar, reviveCharleth, reviveContract, strings.Join([]string{reviveBaltathar, reviveCharleth, reviveDorothy, reviveContract}, ",")} {
		opened := 0
		for _, cut := range []int{5, 6, 7, 8, 10, 18, 24, 30} {
			want := new(big.Int)
			for account, amount := range openFor(t, fmt.Sprintf("0..%d", cut), r.flags) {
				if strings.Contains(accounts, account) {
					want.Add(want, amount)
				}
			}
			second := r.journal(t, fmt.Sprintf("%d..37", cut+1), accounts, "hledger")
			require.Equal(t, want.String(), openingIn(t, second), "%s after block %d", accounts, cut)
			first := r.journal(t, fmt.Sprintf("1..%d", cut), accounts, "hledger")
			require.Equal(t, want.String(), postedTo(t, first, "Assets:Deposits").String(), "%s up to block %d", accounts, cut)
			if want.Sign() != 0 {
				opened++
			}
		}
		require.Greater(t, opened, 3, accounts)
	}
}

// Accounting programs read the journals of two periods, alone and one after the other, and see a changed opening.
func TestProgramsReadDeposits(t *testing.T) {
	t.Parallel()
	for form, check := range map[string][]string{
		"hledger": {"hledger", "check", "--strict", "-f"}, "ledger": {"ledger", "bal", "--pedantic", "--args-only", "-f"}, "beancount": {"bean-check"},
	} {
		t.Run(form, func(t *testing.T) {
			path := program.Path(t, program.Accounting, check[0])
			r := reviveFrom(t, 0)
			passes := func(text string) ([]byte, error) {
				file := filepath.Join(t.TempDir(), "test.journal")
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
				command := exec.Command(path, append(check[1:], file)...)
				command.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+filepath.Dir(file))
				return command.CombinedOutput()
			}
			for _, accounts := range []string{reviveBaltathar, reviveContract} {
				for _, cut := range []int{6, 8} {
					before, after := fmt.Sprintf("1..%d", cut), fmt.Sprintf("%d..37", cut+1)
					out, err := passes(r.journal(t, after, accounts, form))
					require.NoError(t, err, "%s", out)
					// The recording has one day: what follows is made another.
					next := strings.NewReplacer("2026-01-01", "2026-01-02", "2026-01-02", "2026-01-03").Replace(r.journal(t, after, accounts, form, "--continue"))
					first := r.journal(t, before, accounts, form)
					require.Contains(t, first, "Assets:Deposits")
					out, err = passes(first + "\n" + next)
					require.NoError(t, err, "%s", out)
					other := regexp.MustCompile(`(Assets:Deposits  -?[0-9.]+(?: UNIT)? (?:=|~) *-?[0-9.]*[0-8])|(balance Assets:Deposits  -?[0-9.]+)`).ReplaceAllString(next, "${1}${2}1")
					require.NotEqual(t, next, other)
					out, err = passes(first + "\n" + other)
					require.Error(t, err, "%s", out)
				}
			}
		})
	}
}

// A ledger that begins after deposits were taken says so wherever it shows what was given back. The receivable is that of the
// deposits it knows, and the rest is on its own account.
func TestDepositsTakenBeforeTheLedger(t *testing.T) {
	t.Parallel()
	r := reviveFrom(t, 7)
	const unknown = ", and who paid them is not known: the ledger does not contain the transactions that took them"
	for account, want := range map[string]struct{ sum, given, kind string }{
		reviveBaltathar: {"-3699999998", "deposits of 0.003699999998 UNIT were given back to %s" + unknown, "deposit-unmatched-in"},
		reviveContract:  {"10359999998", "deposits of 0.010359999998 UNIT that %s held were given back" + unknown, "deposit-unmatched-out"},
	} {
		journal, stderr := r.run(t, "export", "7..37", "--with", "movements", "--as", "hledger", "--accounts", account)
		require.Contains(t, stderr, fmt.Sprintf(want.given, "the accounts"))
		require.Contains(t, stderr, "the ledger begins at block 7: deposits that others hold, and that were taken before it, are not known and in no balance\n")
		require.Contains(t, journal, fmt.Sprintf(want.given, "the accounts")[:70])
		require.Contains(t, journal, "; remark: "+reviveBaltathar+" got a deposit of 0.003699999998 UNIT from "+reviveContract+", and who paid it is not known")
		require.Equal(t, want.sum, postedTo(t, journal, "Equity:Unmatched").String())
		open := openFor(t, "7..37", r.flags)
		addTo(open, account, new(big.Int))
		require.Equal(t, open[account].String(), postedTo(t, journal, "Assets:Deposits").String())

		out, _ := r.run(t, "statement", account, "7..8")
		require.Contains(t, out, "note: "+fmt.Sprintf(want.given, "this account"))
		require.Regexp(t, "\n"+want.kind+` +\d +0\.0`, out)
		require.Contains(t, out, "note: proved to the planck")
		out, _ = r.run(t, "rollforward", "7..8", "--accounts", account)
		require.Contains(t, out, fmt.Sprintf(want.given, "this account"))
		require.Regexp(t, `deposit-unmatched +\d +0\.000000000000`, out)
	}
	out, stderr, code := fees(append([]string{"deposits", "7..37"}, r.flags...)...)
	require.Zero(t, code, stderr)
	require.Contains(t, out, "note: the ledger begins at block 7: deposits that were taken before it are not known, and not listed\n")
	require.Contains(t, out, "note: 4 deposits of 0.010359999998 UNIT were given back, and the ledger does not contain the transactions that took them\n")
}
