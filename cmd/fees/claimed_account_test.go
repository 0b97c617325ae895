package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
)

// claimed is a recorded chain on which an account has claimed the address that sent its first EVM transaction, and another
// one an address that calls of pallet evm spend gas of: in every answer, theirs stand where the hashed accounts stood.
type claimed struct {
	living
	gateway, table, book string
	sender               livingSent
	account, spender     chain.Address
}

func claimAddresses(t *testing.T) *claimed {
	dir := t.TempDir()
	c := &claimed{living: livingChains[0], gateway: filepath.Join(dir, "gateway"), table: filepath.Join(dir, "table.json"), book: filepath.Join(dir, "fees.db")}
	c.sender = c.sent(t)[0]
	c.account, c.spender = chain.Address32([32]byte{31: 1}), chain.Address32([32]byte{31: 2})
	spenders := regexp.MustCompile(`"gas_spent": \{\s+"source": "0x[0-9a-fA-F]{40}",\s+"account": "(\w+)"`)
	found := map[string]bool{}
	for height := range c.last + 1 {
		out, stderr, code := fees("block", fmt.Sprint(height), "--format", "json", "--gateway", pairs.Path(t, c.name, "gateway"),
			"--network-file", repository.Path("network", "tables", c.living.table))
		require.Zero(t, code, stderr)
		for _, match := range spenders.FindAllStringSubmatch(out, -1) {
			found[match[1]] = true
		}
	}
	require.Len(t, found, 1)
	claims := []string{c.sender.SS58, c.account.String()}
	for spender := range found {
		claims = append(claims, spender, c.spender.String())
	}
	inAnswers := strings.NewReplacer(claims...)
	require.NoError(t, os.CopyFS(c.gateway, os.DirFS(pairs.Path(t, c.name, "gateway"))))
	require.NoError(t, filepath.WalkDir(c.gateway, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return os.WriteFile(path, []byte(inAnswers.Replace(string(text))), 0o600)
	}))
	balances := filepath.Join(c.gateway, "balance-info")
	require.NoError(t, os.Rename(filepath.Join(balances, c.sender.SS58), filepath.Join(balances, c.account.String())))
	text, err := os.ReadFile(repository.Path("network", "tables", c.living.table))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(c.table, []byte(strings.Replace(string(text), `"account_mapping": "hashed"`, `"account_mapping": "claimed"`, 1)), 0o600))
	return c
}

func (c *claimed) run(t *testing.T, want int, arguments ...string) string {
	t.Helper()
	out, stderr, code := fees(append(arguments, "--network-file", c.table)...)
	require.Equal(t, want, code, "%v: %s%s", arguments, out, stderr)
	return out + stderr
}

// Where accounts can claim addresses, the payer is the account from which the chain withdrew: its fees, its balances and
// the gas that others spend of it hold, where a table of hashed accounts contradicts the chain.
func TestClaimedAccounts(t *testing.T) {
	t.Parallel()
	c := claimAddresses(t)
	blocks := fmt.Sprintf("0..%d", c.last)
	out, stderr, code := fees("verify", blocks, "--gateway", c.gateway, "--network-file", repository.Path("network", "tables", c.living.table))
	require.Equal(t, exitFinding, code, out+stderr)
	require.Contains(t, out+stderr, "the fee was withdrawn from "+c.account.String())
	c.run(t, 0, "verify", blocks, "--gateway", c.gateway)
	c.run(t, 0, "sync", blocks, "--gateway", c.gateway, "--ledger", c.book)
	c.run(t, 0, "ledger", "verify", "--ledger", c.book)

	var want chain.Wei
	transactions := 0
	for _, x := range c.sent(t) {
		if x.SS58 == c.sender.SS58 {
			charged, err := chain.ParseWei(x.Charged)
			require.NoError(t, err)
			want, err = want.Add(charged)
			require.NoError(t, err)
			transactions++
		}
	}
	require.Positive(t, transactions)
	var report struct {
		Groups []struct {
			Account, Charged string
			EVM              int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(c.run(t, 0, "report", "--by", "account", "--format", "json", "--accounts", c.account.String(), "--ledger", c.book)), &report))
	require.Len(t, report.Groups, 1)
	require.Equal(t, c.account.String(), report.Groups[0].Account)
	require.Equal(t, want.String(), report.Groups[0].Charged)
	require.Equal(t, transactions, report.Groups[0].EVM)
	c.run(t, 0, "statement", "--accounts", c.account.String(), "--gateway", c.gateway, "--ledger", c.book)

	require.Contains(t, c.run(t, 0, "block", "8", "--gateway", c.gateway), "#1 took gas: 0.0000105 CTC from "+c.spender.String())
	shown := c.run(t, 0, "tx", c.sender.EthHash, "--ledger", c.book)
	require.Contains(t, shown, c.account.String())
}

// An address that an account may have claimed does not say which account is meant. A company's record may name it: it sent
// the transaction.
func TestAddressesThatMayBeClaimed(t *testing.T) {
	t.Parallel()
	c := claimAddresses(t)
	c.run(t, 0, "sync", fmt.Sprintf("0..%d", c.last), "--gateway", c.gateway, "--ledger", c.book)
	for _, arguments := range [][]string{
		{"account", c.sender.From}, {"report", "--accounts", c.sender.From}, {"export", "--as", "csv", "--accounts", c.sender.From},
		{"statement", "--accounts", c.sender.From, "--gateway", c.gateway}, {"rollforward", "--accounts", c.sender.From, "--gateway", c.gateway},
	} {
		out := c.run(t, exitUsage, append(arguments, "--ledger", c.book)...)
		require.Contains(t, out, c.sender.From+" has 20 bytes, and accounts of creditcoin have 32. Name the account in SS58", arguments)
	}
	out := c.run(t, exitUsage, "verify", "0..3", "--accounts", c.sender.From, "--gateway", c.gateway)
	require.Contains(t, out, "Name the account in SS58")

	record := filepath.Join(t.TempDir(), "record.csv")
	require.NoError(t, os.WriteFile(record, []byte("hash,payer,fee_wei\n"+c.sender.EthHash+","+c.sender.From+","+c.sender.Charged+"\n"), 0o600))
	c.run(t, 0, "reconcile", record, "--rows-only", "--ledger", c.book)
	require.NoError(t, os.WriteFile(record, []byte("hash,payer,fee_wei\n"+c.sender.EthHash+",0x0000000000000000000000000000000000000001,"+c.sender.Charged+"\n"), 0o600))
	require.Contains(t, c.run(t, exitFinding, "reconcile", record, "--rows-only", "--all", "--ledger", c.book), "paid, not 0x0000000000000000000000000000000000000001")

	// An explorer's export lists transactions by their senders, also those of others.
	charged, err := chain.ParseWei(c.sender.Charged)
	require.NoError(t, err)
	fee := console.Token{}.Tokens(charged)
	explorer := "Transaction Hash,Status,Method,Blockno,DateTime (UTC),From,From_Nametag,To,To_Nametag,Amount,Value (USD),Txn Fee\n"
	for _, from := range []string{c.sender.From, "0x0000000000000000000000000000000000000001"} {
		explorer += c.sender.EthHash + ",Success,Transfer,1,2026-01-01 00:00:12," + from + ",," + from + ",,0 CTC,$0.00," + fee + "\n"
	}
	require.NoError(t, os.WriteFile(record, []byte(explorer), 0o600))
	out = c.run(t, exitFinding, "reconcile", record, "--profile", "etherscan-page", "--accounts", c.account.String(), "--rows-only", "--all", "--ledger", c.book)
	require.Regexp(t, `duplicate +1 `, out, "its sender is another, but the transaction is not")
	require.Regexp(t, `matched +1 `, out)
}
