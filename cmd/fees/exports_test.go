package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
)

// Exports of tokens with 10 and 12 decimals, with accounts in any form, are read in the token: an explorer's with fees in
// the EVM's wei, which have 18. Fees are those that were charged when the transactions were sent. Of a chain with pallet
// revive, an explorer's file says that its fees contain deposits; an exchange's is refused.
func TestExportsOfOtherTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		symbol   string
		decimals int
		prefix   uint16
		revive   bool
	}{{"DOT", 10, 0, true}, {"KSM", 12, 2, false}} {
		t.Run(c.symbol, func(t *testing.T) {
			t.Parallel()
			l, dir := livingChains[1], t.TempDir()
			gateway, table, ledger := filepath.Join(dir, "gateway"), filepath.Join(dir, "table.json"), filepath.Join(dir, "fees.db")
			text, err := os.ReadFile(repository.Path("network", "tables", l.table))
			require.NoError(t, err)
			changed := strings.NewReplacer(`"symbol": "TAO"`, fmt.Sprintf(`"symbol": %q`, c.symbol), `"decimals": 9`, fmt.Sprintf(`"decimals": %d`, c.decimals),
				`"account_mapping": "hashed",`, fmt.Sprintf(`"account_mapping": "hashed", "ss58_prefix": %d,`, c.prefix)).Replace(string(text))
			if c.revive {
				changed = strings.Replace(changed, `"last_runtime": 218`, `"last_runtime": 900`, 1)
				rows, rest, found := strings.Cut(changed, `"destinations"`)
				require.True(t, found)
				end := strings.LastIndexByte(rows, ']')
				changed = rows[:end] + "," + reviveRow + rows[end:] + `"destinations"` + rest
			}
			require.NoError(t, os.WriteFile(table, []byte(changed), 0o600))
			withToken(t, pairs.Path(t, l.name, "gateway"), gateway, c.symbol, c.decimals)
			network := []string{"--network-file", table, "--ledger", ledger}
			_, stderr, code := fees(append([]string{"sync", fmt.Sprintf("0..%d", l.last), "--gateway", gateway}, network...)...)
			require.Zero(t, code, stderr)

			native, evm := sentBy(t, l, false), sentBy(t, l, true)
			account, err := chain.ParseAccount(native[0].SS58)
			require.NoError(t, err)
			token := func(x livingSent) string { return string(console.AppendScaled(nil, x.Charged, c.decimals)) }
			write := func(name, header string, list []livingSent, row func(livingSent) string) string {
				lines := []string{header}
				for _, x := range list {
					lines = append(lines, row(x))
				}
				path := filepath.Join(dir, name)
				require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
				return path
			}
			reconcile := func(path, account string) (string, int) {
				out, stderr, code := fees(append([]string{"reconcile", path, "--accounts", account}, network...)...)
				return strings.Join(strings.Fields(out+stderr), " "), code
			}
			matches := func(path, account string, list []livingSent) string {
				t.Helper()
				out, code := reconcile(path, account)
				require.Zero(t, code, out)
				require.Contains(t, out, fmt.Sprintf("all %d match", len(list)))
				require.NotContains(t, out, native[0].SS58)
				return out
			}
			matches(write("subscan.csv", "Extrinsic ID,Block,Extrinsic Hash,Time,Result,Action,Sender,Estimated Fee,Used Fee", native, func(x livingSent) string {
				return fmt.Sprintf("%d-%d,%d,%s,2026-01-01 00:00:12,true,balances(transfer),%s,9 %s,%s %s", x.Height, x.Index, x.Height, x.XtHash, account.SS58(c.prefix), c.symbol, token(x), c.symbol)
			}), account.SS58(0), native)
			koinly := matches(write("koinly.csv", "Date,Type,Label,Sending Wallet,Sent Amount,Sent Currency,Sent Cost Basis,Receiving Wallet,Received Amount,Received Currency,Received Cost Basis,Fee Amount,Fee Currency,Gain (GBP),Net Value (GBP),Fee Value (GBP),TxSrc,TxDest,TxHash,Description", native, func(x livingSent) string {
				fee := token(x)
				return fmt.Sprintf("2026-01-01 00:00:12,crypto_withdrawal,,Wallet,1.5,%s,10,,,,,%s,%s,0,5,0.01,%s,,%s,", c.symbol, fee[:len(fee)-c.decimals+10], c.symbol, account.SS58(2), x.XtHash)
			}), fmt.Sprintf("0x%x", account.Bytes()), native)
			require.Equal(t, c.decimals == 12, strings.Contains(koinly, "Cut after 10 decimals"))
			matches(write("planck.csv", "hash,fee (planck),account", native, func(x livingSent) string { return x.XtHash + "," + x.Charged + "," + account.SS58(7391) }), native[0].SS58, native)

			blockscout := matches(write("blockscout.csv", "TxHash,BlockNumber,UnixTimestamp,FromAddress,ToAddress,ContractAddress,Type,Value,Fee,Status,ErrCode,CurrentPrice,TxDateOpeningPrice,TxDateClosingPrice,MethodName", evm, func(x livingSent) string {
				return fmt.Sprintf("%s,%d,2026-01-01T00:00:12Z,%s,,,OUT,0,%s%s,ok,,1,1,1,x", x.EthHash, x.Height, x.From, x.Charged, strings.Repeat("7", 18-c.decimals))
			}), evm[0].From, evm)
			require.Equal(t, c.revive, strings.Contains(blockscout, "a receipt adds the storage deposits"))

			for header, why := range map[string]string{
				"txid,refid,time,type,subtype,aclass,asset,amount,fee,balance":                                 "this is the Kraken export of ledgers",
				"Date(UTC),Coin,Network,Amount,TransactionFee,Address,TXID,SourceAddress,PaymentID,Status":     "this is the Binance export of deposits and withdrawals",
				"Timestamp,Transaction Type,Asset,Quantity Transacted,Price at Transaction,Fees and/or Spread": "this is the Coinbase export",
			} {
				out, code := reconcile(write("exchange.csv", header, native[:1], func(livingSent) string { return "a,b,c,d,e,f,g,1,2,3" }), native[0].SS58)
				require.Equal(t, exitUsage, code)
				require.Contains(t, out, why)
			}
		})
	}
}

// reviveRow is a row of prices after all recorded blocks.
const reviveRow = `{"from_runtime": 900, "evm": "revive", "base_fee_constant": "100000000", "minimum_multiplier": "1", "source": "made for this test"}`

// sentBy returns the transactions of one layer by the account that sent the most.
func sentBy(t *testing.T, l living, evm bool) (most []livingSent) {
	t.Helper()
	by := map[string][]livingSent{}
	for _, x := range l.sent(t) {
		if (x.EthHash != "") == evm && x.Charged != "" && x.Charged != "0" {
			by[x.SS58] = append(by[x.SS58], x)
		}
	}
	for _, list := range by {
		if len(list) > len(most) || len(list) == len(most) && list[0].SS58 < most[0].SS58 {
			most = list
		}
	}
	return most
}

// withToken copies a recording whose chain's token has another symbol and other decimals.
func withToken(t *testing.T, from, to, symbol string, decimals int) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	own := strings.NewReplacer(`"tokenDecimals":["9"]`, fmt.Sprintf(`"tokenDecimals":["%d"]`, decimals), `"tokenSymbol":["TAO"]`, fmt.Sprintf(`"tokenSymbol":[%q]`, symbol))
	require.NoError(t, filepath.WalkDir(to, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.Contains(path, "runtime-spec") {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, json.Valid(text))
		require.NoError(t, os.Chmod(path, 0o600))
		return os.WriteFile(path, []byte(own.Replace(string(text))), 0o600)
	}))
}
