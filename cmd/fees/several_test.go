package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/program"
	"github.com/feeledger/fees/internal/test/repository"
)

// severalChains returns flags for two ledgers of a month: the sample chain's and a recorded hub's, with an address book for
// both, prices, and the gateways of their balances.
func severalChains(t *testing.T) (ledgers, gateways []string) {
	dir, hub, networks := filepath.Join(t.TempDir(), "month"), pairs.HubMonth(t), repository.Path("testdata", "networks", "stack-template-3.json")
	_, stderr, code := fees("demo", dir, "--yes")
	require.Zero(t, code, stderr)
	other := filepath.Join(dir, "hub.db")
	_, stderr, code = fees("sync", "--month", "2026-01", "--gateway", hub, "--network-file", networks, "--ledger", other)
	require.Equal(t, exitFinding, code, stderr)
	labels := filepath.Join(dir, "both.csv")
	require.NoError(t, os.WriteFile(labels, []byte(`address,label,group
mbeam:0x065aDec114AdA927d1a42840405Ca6668D0C0930,Operations,company
mbeam:0x2f5bcC3A78cB7fF9Aa2faBF6c94B4C98A7438c23,Refunds,company
5HYRCKHYJN9z5xUtfFkyMj4JUhsAwWyvuU8vKB1FcnYTf9ZQ,Treasury,company
15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5,Staking,company
`), 0o600))
	return []string{"--ledger", filepath.Join(dir, "fees.db"), "--ledger", other, "--network-file", networks, "--labels", labels},
		[]string{"--gateway", "moonbeam=" + filepath.Join(dir, "gateway"), "--gateway", "stack-template=" + hub}
}

// Accounting programs read the journals of two chains in one file, and check the balances in both tokens.
func TestProgramsReadSeveralChains(t *testing.T) {
	ledgers, gateways := severalChains(t)
	for form, check := range map[string][]string{
		"hledger": {"hledger", "check", "--strict", "-f"}, "ledger": {"ledger", "bal", "--pedantic", "--args-only", "-f"}, "beancount": {"bean-check"},
	} {
		t.Run(form, func(t *testing.T) {
			path := program.Path(t, program.Accounting, check[0])
			for _, with := range [][]string{{"--with", "fees"}, append([]string{"--with", "movements"}, gateways...)} {
				file := filepath.Join(t.TempDir(), "both.journal")
				args := append(append([]string{"export", "--as", form, "--month", "2026-01", "--accounts", "group:company", "-o", file}, ledgers...), with...)
				_, stderr, code := fees(args...)
				require.Zero(t, code, stderr)
				command := exec.Command(path, append(check[1:], file)...)
				command.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+filepath.Dir(file))
				out, err := command.CombinedOutput()
				require.NoError(t, err, "%s", out)
			}
		})
	}
}
