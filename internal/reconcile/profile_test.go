package reconcile_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/test/tier"
)

// product is a product's export: its headers, the oldest last, and what it writes for a fee. The
// cells are by the name of their column; {hash}, {fee}, {asset}, {from} and {wei} stand for the
// transaction's. Headers and rows are as public programs that read real exports have them.
type product struct {
	profile  string
	headers  []string
	cells    map[string]string
	decimals int                 // that the product keeps; 0 is all
	evm      bool                // it lists EVM transactions only
	assets   bool                // it lists other assets, too
	incoming bool                // and transactions of other senders, with their fees
	more     []map[string]string // rows of other kinds
}

const etherscanHeader = "Transaction Hash,Blockno,UnixTimestamp,DateTime (UTC),From,To,ContractAddress,Value_IN(GLMR),Value_OUT(GLMR),CurrentValue @ $0.1/GLMR,TxnFee(GLMR),TxnFee(USD),Historical $Price/GLMR,Status,ErrCode,Method"

var products = []product{
	{profile: "etherscan", evm: true, incoming: true, headers: []string{
		etherscanHeader, etherscanHeader + ",PrivateNote",
		"Txhash,Blockno,UnixTimestamp,DateTime,From,To,ContractAddress,Value_IN(GLMR),Value_OUT(GLMR),CurrentValue @ $4.1/GLMR,TxnFee(GLMR),TxnFee(USD),Historical $Price/GLMR,Status,ErrCode"},
		cells: map[string]string{"Transaction Hash": "{hash}", "Txhash": "{hash}", "UnixTimestamp": "1769819400", "DateTime": "1/31/2026 12:30:00 AM", "DateTime (UTC)": "2026-01-31 00:30:00", "From": "{from}", "Value_OUT(GLMR)": "1.5", "TxnFee(GLMR)": "{fee}", "TxnFee(USD)": "0.05"}},
	{profile: "routescan", evm: true, incoming: true, headers: []string{
		"Transaction Hash,Blockno,UnixTimestamp,DateTime (UTC),From,To,ContractAddress,Value_IN(ETH),Value_OUT(ETH),CurrentValue/Eth,TxnFee(ETH),TxnFee(USD),Historical $Price/Eth,Status,ErrCode,Method,ChainId,Chain,Value(ETH)"},
		cells: map[string]string{"Transaction Hash": "{hash}", "UnixTimestamp": "1769819400", "From": "{from}", "TxnFee(ETH)": "{fee}", "TxnFee(USD)": "0.05", "ChainId": "1284", "Chain": "Moonbeam"}},
	{profile: "etherscan-page", evm: true, incoming: true, decimals: 8, headers: []string{"Transaction Hash,Status,Method,Blockno,DateTime (UTC),From,From_Nametag,To,To_Nametag,Amount,Value (USD),Txn Fee"},
		cells: map[string]string{"Transaction Hash": "{hash}", "Status": "Success", "DateTime (UTC)": "2026-01-31 00:30:00", "From": "{from}", "Amount": "1.5 GLMR", "Txn Fee": "{fee}"}},
	{profile: "blockscout", evm: true, incoming: true, headers: []string{
		"TxHash,BlockNumber,UnixTimestamp,FromAddress,ToAddress,ContractAddress,Type,Value,Fee,Status,ErrCode,CurrentPrice,TxDateOpeningPrice,TxDateClosingPrice,MethodName",
		"TxHash,BlockNumber,UnixTimestamp,FromAddress,ToAddress,ContractAddress,Type,Value,Fee,Status,ErrCode,CurrentPrice,TxDateOpeningPrice,TxDateClosingPrice"},
		cells: map[string]string{"TxHash": "{hash}", "UnixTimestamp": "2026-01-31 00:30:00Z", "FromAddress": "{from}", "Type": "OUT", "Value": "1500000000000000000", "Fee": "{wei}", "Status": "ok"},
		more:  []map[string]string{{"TxHash": "{hash}", "FromAddress": "{from}", "Fee": "Max of 123", "Status": "pending"}}},
	{profile: "koinly", decimals: 10, assets: true, headers: []string{
		"Date,Type,Label,Sending Wallet,Sent Amount,Sent Currency,Sent Cost Basis,Receiving Wallet,Received Amount,Received Currency,Received Cost Basis,Fee Amount,Fee Currency,Gain (GBP),Net Value (GBP),Fee Value (GBP),TxSrc,TxDest,TxHash,Description",
		"Date,Type,Tag,Sending Wallet,Sent Amount,Sent Currency,Sent Cost Basis,Receiving Wallet,Received Amount,Received Currency,Received Cost Basis,Fee Amount,Fee Currency,Gain (USD),Net Value (USD),Fee Value (USD),TxSrc,TxDest,TxHash,Description"},
		cells: map[string]string{"Date": "2026-01-31 00:30:00", "Type": "crypto_withdrawal", "Sent Amount": "1.5", "Sent Currency": "GLMR", "Fee Amount": "{fee}", "Fee Currency": "{asset}", "TxSrc": "{from}", "TxHash": "{hash}"}},
	{profile: "koinly-bulk", decimals: 10, assets: true, headers: []string{
		"ID (read-only),Parent ID (read-only),Date (UTC),Type,Tag,From Wallet (read-only),From Wallet ID,From Amount,From Currency,To Wallet (read-only),To Wallet ID,To Amount,To Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Fee Worth Amount,Fee Worth Currency,Net Value (read-only),Fee Value (read-only),Value Currency (read-only),Deleted,From Source (read-only),To Source (read-only),Negative Balances (read-only),Missing Rates (read-only),Missing Cost Basis (read-only),Synced To Accounting At (UTC read-only),TxSrc,TxDest,TxHash,Description"},
		cells: map[string]string{"ID (read-only)": "A1", "Date (UTC)": "2026-01-31 00:30:00", "From Amount": "1.5", "From Currency": "GLMR;27541", "Fee Amount": "{fee}", "Fee Currency": "{asset};27541", "Deleted": "false", "TxSrc": "{from}", "TxHash": "{hash}"},
		more:  []map[string]string{{"Fee Amount": "5", "Fee Currency": "GLMR;27541", "Deleted": "true", "TxHash": "{hash}"}}},
	{profile: "koinly-universal", decimals: 10, assets: true, headers: []string{
		"Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash",
		"Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Tag,Description,TxHash"},
		cells: map[string]string{"Date": "2026-01-31 00:30 UTC", "Fee Amount": "{fee}", "Fee Currency": "{asset}", "TxHash": "{hash}"}},
	{profile: "koinly-simple", decimals: 8, assets: true, headers: []string{"Koinly Date,Amount,Currency,Label,TxHash"},
		cells: map[string]string{"Koinly Date": "2026-01-31 00:30 UTC", "Amount": "-{fee}", "Currency": "{asset}", "Label": "cost", "TxHash": "{hash}"},
		more:  []map[string]string{{"Amount": "-3", "Currency": "GLMR", "Label": "", "TxHash": "{hash}"}}},
	{profile: "cointracking", decimals: 8, assets: true, headers: []string{
		"Type,Buy,Cur.,Sell,Cur.,Fee,Cur.,Exchange,Group,Comment,Date,Tx-ID,Buy Value in EUR,Sell Value in EUR", "Type,Buy,Cur.,Sell,Cur.,Fee,Cur.,Exchange,Group,Comment,Date,Tx-ID"},
		cells: map[string]string{"Type": "Withdrawal", "Buy": "-", "Sell": "1.50000000", "Fee": "{fee}", "Cur.#1": "", "Cur.#2": "GLMR", "Cur.#3": "{asset}", "Exchange": "Moonbeam", "Date": "31.01.2026 00:30:00", "Tx-ID": "{hash}.SENT"}},
	{profile: "cointracking", decimals: 8, assets: true, headers: []string{"Type,Buy,Cur.,Sell,Cur.,Fee,Cur.,Exchange,Group,Comment,Date"},
		cells: map[string]string{"Type": "Other Fee", "Buy": "-", "Sell": "{fee}", "Fee": "-", "Cur.#2": "{asset}", "Exchange": "Moonbeam", "Comment": "network fee of {hash}", "Date": "31.01.2026 00:30"}},
	{profile: "cointracking-import", decimals: 8, assets: true, headers: []string{
		"Type,Buy Amount,Buy Currency,Sell Amount,Sell Currency,Fee,Fee Currency,Exchange,Trade-Group,Comment,Date,Tx-ID,Buy Value in Account Currency,Sell Value in Account Currency,Liquidity pool",
		"Type,Buy Amount,Buy Currency,Sell Amount,Sell Currency,Fee,Fee Currency,Exchange,Trade-Group,Comment,Date,Tx-ID"},
		cells: map[string]string{"Type": "Withdrawal", "Fee": "{fee}", "Fee Currency": "{asset}", "Date": "31.01.2026 00:30:00", "Tx-ID": "{hash}.SENT"}},
	{profile: "cointracker", decimals: 8, assets: true, headers: []string{
		"Date,Type,Transaction ID,Received Quantity,Received Currency,Received Cost Basis (USD),Received Wallet,Received Address,Received Comment,Sent Quantity,Sent Currency,Sent Cost Basis (USD),Sent Wallet,Sent Address,Sent Comment,Fee Amount,Fee Currency,Fee Cost Basis (USD),Realized Return (USD),Fee Realized Return (USD),Transaction Hash",
		"Date,Type,Transaction ID,Received Quantity,Received Currency,Received Cost Basis (USD),Received Wallet,Received Address,Received Tag,Received Comment,Sent Quantity,Sent Currency,Sent Cost Basis (USD),Sent Wallet,Sent Address,Sent Tag,Sent Comment,Fee Amount,Fee Currency,Realized Return (USD),Ignored"},
		cells: map[string]string{"Date": "01/31/2026 00:30:00", "Type": "SEND", "Transaction ID": "{hash}", "Sent Address": "{from}", "Fee Amount": "{fee}", "Fee Currency": "{asset}", "Transaction Hash": "{hash}"},
		more:  []map[string]string{{"Date": "..."}}},
	{profile: "coinledger", decimals: 8, assets: true, headers: []string{"Timestamp (UTC),Type,Internal Id,Platform,Account Name,Platform Id,Blockchain Id,Record Type,Asset,Amount,Description"},
		cells: map[string]string{"Timestamp (UTC)": "2026-01-31T00:30:00.000", "Type": "Withdrawal", "Blockchain Id": "{hash}", "Record Type": "Network Fee", "Asset": "{asset}", "Amount": "-{fee}"},
		more:  []map[string]string{{"Type": "Withdrawal", "Blockchain Id": "{hash}", "Record Type": "Withdrawal", "Asset": "GLMR", "Amount": "-1.5"}, {"Type": "Platform Fee", "Asset": "GLMR", "Amount": "-0.1"}}},
	{profile: "coinledger-import", decimals: 8, assets: true, headers: []string{"Date (UTC),Platform (Optional),Asset Sent,Amount Sent,Asset Received,Amount Received,Fee Currency (Optional),Fee Amount (Optional),Type,Description (Optional),TxHash (Optional)"},
		cells: map[string]string{"Date (UTC)": "01/31/2026 00:30:00", "Fee Currency (Optional)": "{asset}", "Fee Amount (Optional)": "{fee}", "TxHash (Optional)": "{hash}"}},
	{profile: "blockpit", assets: true, headers: []string{
		"Blockpit ID,Timestamp,Source Type,Source Name,Integration,Transaction Type,Outgoing Asset,Outgoing Amount,Incoming Asset,Incoming Amount,Fee Asset,Fee Amount,Transaction ID,Note,Merge ID"},
		cells: map[string]string{"Timestamp": "31.01.2026 00:30", "Transaction Type": "Withdrawal", "Outgoing Asset": "GLMR", "Outgoing Amount": "1.5", "Fee Asset": "{asset}", "Fee Amount": "{fee}", "Transaction ID": "{hash}"}},
	{profile: "blockpit", assets: true, headers: []string{
		"Date (UTC),Integration Name,Label,Outgoing Asset,Outgoing Amount,Incoming Asset,Incoming Amount,Fee Asset (optional),Fee Amount (optional),Comment (optional),Trx. ID (optional),Source Type,Source Name"},
		cells: map[string]string{"Date (UTC)": "31.01.2026 00:30:00", "Label": "Fee", "Outgoing Asset": "{asset}", "Outgoing Amount": "{fee}", "Trx. ID (optional)": "{hash}"}},
	{profile: "taxbit", assets: true, headers: []string{"Date and Time,Transaction Type,Sent Quantity,Sent Currency,Sending Source,Received Quantity,Received Currency,Receiving Destination,Fee,Fee Currency,Exchange Transaction ID,Blockchain Transaction Hash"},
		cells: map[string]string{"Date and Time": "2026-01-31T00:30:00Z", "Transaction Type": "Transfer Out", "Fee": "{fee}", "Fee Currency": "{asset}", "Blockchain Transaction Hash": "{hash}"}},
	{profile: "taxbit-template", assets: true, headers: []string{"account_id,transaction_id,date_time,transaction_type,transaction_subtype,received_quantity,received_currency,sent_quantity,sent_currency,fee_quantity,fee_currency,transaction_value_usd,fee_value_usd,counterparty_transaction_id,disposition_method"},
		cells: map[string]string{"date_time": "2026-01-31T00:30:00Z", "fee_quantity": "{fee}", "fee_currency": "{asset}", "counterparty_transaction_id": "{hash}"}},
	{profile: "cryptio", assets: true, headers: []string{
		"transactionDate,orderType,txhash,incomingAsset,incomingVolume,incomingUnitRate,incomingTransactionValue,outgoingAsset,outgoingVolume,outgoingUnitRate,outgoingTransactionValue,feeAsset,feeVolume,feeUnitRate,feeTransactionValue,otherParties,note",
		"transactionDate,orderType,txhash,incomingAsset,incomingVolume,outgoingAsset,outgoingVolume,feeAsset,feeVolume,otherParties,note,success,internalTransfer"},
		cells: map[string]string{"transactionDate": "2026-01-31 00:30:00", "orderType": "withdraw", "txhash": "{hash}", "feeAsset": "{asset}", "feeVolume": "{fee}"}},
	{profile: "rotki", assets: true, headers: []string{
		"timestamp,event_type,event_subtype,location,location_label,asset,asset_symbol,amount,fiat_value,identifier,entry_type,group_identifier,sequence_index,direction,extra_data,user_notes,tx_ref,counterparty,address"},
		cells: map[string]string{"timestamp": "31/01/2026 00:30:00 UTC", "event_type": "spend", "event_subtype": "fee", "location_label": "{from}", "asset_symbol": "{asset}", "amount": "{fee}", "tx_ref": "{hash}", "counterparty": "gas"},
		more:  []map[string]string{{"event_type": "spend", "event_subtype": "none", "location_label": "{from}", "asset_symbol": "GLMR", "amount": "1.5", "tx_ref": "{hash}"}, {"event_type": "spend", "event_subtype": "fee", "asset_symbol": "GLMR", "amount": "1.5", "tx_ref": "{hash}", "counterparty": "uniswap"}}},
	{profile: "ledger-live", assets: true, headers: []string{
		"Operation Date,Status,Currency Ticker,Operation Type,Operation Amount,Operation Fees,Operation Hash,Account Name,Account xpub,Countervalue Ticker,Countervalue at Operation Date,Countervalue at CSV Export",
		"Operation Date,Currency Ticker,Operation Type,Operation Amount,Operation Fees,Operation Hash,Account Name,Account xpub",
		"Operation Date,Currency Ticker,Operation Type,Operation Amount,Operation Fees,Operation Hash,Account Name,Account id"},
		cells: map[string]string{"Operation Date": "2026-01-31T00:30:00.000Z", "Currency Ticker": "{asset}", "Operation Type": "OUT", "Operation Amount": "1.5", "Operation Fees": "{fee}", "Operation Hash": "{hash}"}},
	{profile: "zerion", decimals: 8, assets: true, headers: []string{
		"Date,Time,Transaction Type,Status,Application,Accounting Type,Buy Amount,Buy Currency,Buy Currency Address,Buy Fiat Amount,Buy Fiat Currency,Sell Amount,Sell Currency,Sell Currency Address,Sell Fiat Amount,Sell Fiat Currency,Fee Amount,Fee Currency,Fee Fiat Amount,Fee Fiat Currency,Sender,Receiver,Tx Hash,Link,Timestamp,Changes JSON"},
		cells: map[string]string{"Date": "2026-01-31", "Time": "01:30", "Status": "Confirmed", "Fee Amount": "{fee}", "Fee Currency": "{asset}", "Fee Fiat Amount": "0.01", "Sender": "{from}", "Tx Hash": "{hash}", "Timestamp": "1769819400"}},
	{profile: "staketax", decimals: 9, assets: true, headers: []string{"timestamp,tx_type,received_amount,received_currency,sent_amount,sent_currency,fee,fee_currency,comment,txid,url,exchange,wallet_address"},
		cells: map[string]string{"timestamp": "2026-01-31 00:30:00", "tx_type": "TRANSFER", "fee": "{fee}", "fee_currency": "{asset}", "txid": "{hash}", "wallet_address": "{from}"}},
	{profile: "defitaxes", assets: true, headers: []string{
		"timestamp,UTC datetime,chain,transaction hash,color,classification,custom note,counterparty address,counterparty name,function hex signature,operation (decoded hex signature),source address,source is me,destination address,destination is me,amount transfered,token contract address,token symbol,token unique,token ID,transfer type,tax treatment,vault id,coingecko id,rate source,USD rate,url"},
		cells: map[string]string{"timestamp": "1769819400", "chain": "Moonbeam", "transaction hash": "{hash}", "source address": "{from}", "destination address": "network", "amount transfered": "{fee}", "token symbol": "{asset}"},
		more:  []map[string]string{{"timestamp": "1769819400", "transaction hash": "{hash}", "source address": "{from}", "destination address": "0x1111111111111111111111111111111111111111", "amount transfered": "7", "token symbol": "GLMR"}}},
	{profile: "fireblocks", assets: true, headers: []string{
		"Date,Fireblocks TxId,Status,Sub Status,Transaction Type,Source Type,Source,Source Address,Destination,Destination Address,Asset,Amount,Net Amount,USD Amount,Network Fee,Network Fee Asset,TxHash,Note,Created By",
		"Date,Fireblocks TxId,Status,Transaction Type,Source Type,Source,Source Address,Destination Type,Destination,Destination Address,Asset,Asset Symbol,Amount,Network Fee,Service Fee,TxHash,Note,Created By"},
		cells: map[string]string{"Date": "31 Jan 2026 00:30:00 GMT", "Fireblocks TxId": "3f1c", "Status": "COMPLETED", "Transaction Type": "TRANSFER", "Source Type": "VAULT_ACCOUNT", "Source Address": "{from}", "Asset": "{asset}", "Amount": "1.5", "Network Fee": "{fee}", "Network Fee Asset": "{asset}", "TxHash": "{hash}"}},
	{profile: "fordefi", assets: true, headers: []string{
		"Affected Vault Name,Affected Vault Address,Chain,Affected Vault ID,Creation Time,Created By (Name),Created By (Email),Blockchain Mine Time,Transaction Direction,Transaction Source Address,Transaction Source Name,Transaction Destination Address,Transaction Destination Name,Transaction ID,Transaction Hash,Effect Type,Effect Number,Asset Symbol,Amount"},
		cells: map[string]string{"Chain": "Moonbeam", "Blockchain Mine Time": "2026-01-31T00:30:00Z", "Transaction Source Address": "{from}", "Transaction Hash": "{hash}", "Effect Type": "Gas Fees", "Asset Symbol": "{asset}", "Amount": "-{fee}"},
		more:  []map[string]string{{"Transaction Source Address": "{from}", "Transaction Hash": "{hash}", "Effect Type": "Transfer", "Asset Symbol": "GLMR", "Amount": "-12"}}},
	{profile: "xero-statement", headers: []string{"*Date,*Amount,Payee,Description,Reference,Check Number"},
		cells: map[string]string{"*Date": "31/01/2026", "*Amount": "-{fee}", "Payee": "Moonbeam", "Description": "Network fee {hash}"},
		more:  []map[string]string{{"*Date": "31/01/2026", "*Amount": "1.5", "Payee": "Customer", "Reference": "invoice 7"}}},
}

const stranger = "0x1111111111111111111111111111111111111111"

// row writes a row of a product. A column whose name occurs several times is asked for by its number, too.
func (p *product) row(header []string, cells map[string]string, s *sent, fee, asset, from string) (line []string) {
	seen := map[string]int{}
	for _, name := range header {
		seen[name]++
		text, known := cells[fmt.Sprintf("%s#%d", name, seen[name])]
		if !known {
			text = cells[name]
		}
		line = append(line, strings.NewReplacer("{hash}", s.hash(), "{fee}", fee, "{asset}", asset, "{from}", from, "{wei}", s.Charged).Replace(text))
	}
	return line
}

// paying returns some of the transactions with a fee, of both layers.
func paying(t testing.TB) (list []*sent) {
	for i, s := range allSent(t, "moonbeam-2100") {
		if s.Charged != "0" && i%4 == 0 {
			list = append(list, s)
		}
	}
	return list
}

// cut returns an amount of the token without the decimals that a product drops.
func cut(token string, decimals int) string {
	if decimals == 0 {
		return token
	}
	whole, fraction, _ := strings.Cut(token, ".")
	return whole + "." + fraction[:decimals]
}

// file returns a product's file of transactions: as it is, or with rows that are not fees of the
// company's, and how many of these there are.
func (p *product) file(header string, list []*sent, mixed bool) (g grid, noFees int) {
	names := strings.Split(header, ",")
	g = grid{names}
	add := func(cells map[string]string, s *sent, fee, asset, from string) {
		g = append(g, p.row(names, cells, s, fee, asset, from))
	}
	for i, s := range list {
		add(p.cells, s, cut(s.token(), p.decimals), "GLMR", s.From)
		if !mixed {
			continue
		}
		unknown := &sent{EthHash: fmt.Sprintf("0x%064x", i+1), Charged: "21000000000000"}
		if p.assets {
			add(p.cells, unknown, "0.0001", []string{"ETH", "BTC", "USDT"}[i%3], s.From)
			add(p.cells, unknown, "", "", s.From)
			noFees += 2
		}
		for _, cells := range p.more {
			add(cells, s, "1", "GLMR", s.From)
			noFees++
		}
	}
	return g, noFees
}

// Each product's file is recognized, in each of its forms: by comma, semicolon and tab, with titles
// and a mark, and as a workbook; and with rows of other assets, other senders and other kinds. Each
// of its fees is the chain's, and decimals that the product cuts do not count as a difference.
func TestProfiles(t *testing.T) {
	all := paying(t)
	files, forms := 0, 0
	for _, p := range products {
		list := all
		if p.evm {
			list = slices.DeleteFunc(slices.Clone(all), func(s *sent) bool { return s.EthHash == "" })
		}
		for _, header := range p.headers {
			forms++
			plain, _ := p.file(header, list, false)
			mixed, noFees := p.file(header, list, true)
			for i, c := range []struct {
				name, text string
				left       int
			}{
				{"plain", plain.csv(','), 0},
				{"semicolons, below titles", "\ufeffExported on 2026-02-01;;\r\n;;\r\n" + mixed.csv(';'), noFees},
				{"workbook", mixed.xlsx(t, nil), noFees},
				{"tabs, other letters", strings.ToUpper(header[:1]) + strings.Replace(mixed.csv('\t'), mixed.csv('\t')[:1], "", 1), noFees},
			} {
				if testing.Short() && i != forms%4 { // each form with other headers
					continue
				}
				name := fmt.Sprintf("%s %s: %s", p.profile, header[:20], c.name)
				o := reconcile.Options{Symbol: "GLMR", Accounts: payers(t, list), RowsOnly: true}
				f, r := matched(t, c.text, o, name)
				require.NotNil(t, f.Profile, name)
				require.Equal(t, p.profile, f.Profile.Name, name)
				want := map[reconcile.Outcome]int{}
				for _, s := range list {
					if exact := cut(s.token(), p.decimals); strings.TrimRight(exact, "0") == strings.TrimRight(s.token(), "0") {
						want[reconcile.Matched]++
					} else {
						want[reconcile.WithinRounding]++
					}
				}
				if c.left > 0 {
					want[reconcile.LeftOut] = c.left
				}
				require.Equal(t, want, counts(r), name)
				require.True(t, r.Agrees(), name)
				require.Equal(t, fmt.Sprintf("%d fees of GLMR", len(list)), strings.Split(strings.SplitN(f.Summary(counts(r)[reconcile.SentByAnother], r.OtherAssets), ": ", 2)[1], ", ")[0], name)
				require.Equal(t, chain.Some(wei(t, total(list))), r.Total.Chain, name)
				files++
			}
		}
	}
	require.Greater(t, files, 100/tier.Step(4))
}

// A fee that is not the chain's is a difference, in a file of any product: at the last digit that it
// keeps, and beside a fee that it has cut.
func TestProfilesFindDifferences(t *testing.T) {
	all := paying(t)
	for _, p := range products {
		list := all
		if p.evm {
			list = slices.DeleteFunc(slices.Clone(all), func(s *sent) bool { return s.EthHash == "" })
		}
		g, _ := p.file(p.headers[0], list, false)
		other := *list[0]
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(18-p.decimals)), nil)
		if p.decimals == 0 {
			unit = big.NewInt(1)
		}
		charged, _ := new(big.Int).SetString(other.Charged, 10)
		other.Charged = charged.Add(charged, unit.Mul(unit, big.NewInt(2))).String()
		g[1] = p.row(g[0], p.cells, &other, cut(other.token(), p.decimals), "GLMR", other.From)
		o := reconcile.Options{Symbol: "GLMR", Accounts: payers(t, list), RowsOnly: true}
		_, r := matched(t, g.csv(','), o, p.profile)
		require.Equal(t, 1, counts(r)[reconcile.AmountDiffers], p.profile)
		require.False(t, r.Agrees(), p.profile)
	}
}

// A file that has no fees is named, with the export to take instead.
func TestExportsWithoutFees(t *testing.T) {
	for header, want := range map[string]string{
		"Txhash,Blockno,UnixTimestamp,DateTime,ParentTxFrom,ParentTxTo,ParentTxETH_Value,From,TxTo,ContractAddress,Value_IN(ETH),Value_OUT(ETH),CurrentValue @ $1/Eth,Historical $Price/Eth,Status,ErrCode,Type":                                                "internal transactions",
		"Parent Transaction Hash,Status,Blockno,DateTime (UTC),From,From_Nametag,To,To_Nametag,Amount,Value (USD)":                                                                                                                                              "internal transactions",
		"Txhash,UnixTimestamp,DateTime,From,To,Value,ContractAddress,TokenName,TokenSymbol":                                                                                                                                                                     "token transfers",
		"Transaction Hash,Blockno,UnixTimestamp,DateTime (UTC),From,To,TokenValue,USDValueDayOfTx,ContractAddress,TokenName,TokenSymbol":                                                                                                                        "token transfers",
		"Transaction Hash,Blockno,UnixTimestamp,DateTime (UTC),From,To,ContractAddress,TokenName,TokenSymbol,Token ID,Type,Quantity":                                                                                                                            "NFT transfers",
		"TxHash,Index,BlockNumber,BlockHash,TxIndex,BlockIndex,UnixTimestamp,FromAddress,ToAddress,ContractAddress,Type,CallType,Gas,GasUsed,Value,Input,Output,ErrCode,Fee":                                                                                    "Blockscout export of internal",
		"TxHash,BlockNumber,UnixTimestamp,FromAddress,ToAddress,TokenContractAddress,Type,TokenSymbol,TokensTransferred,TransactionFee,Status,ErrCode":                                                                                                          "Blockscout export of token",
		"Extrinsic ID,Block,Block Timestamp,From,To,Value,Symbol,Result,Hash":                                                                                                                                                                                   "Subscan export of transfers",
		"Event ID,Block,Extrinsic ID,Pool,Pool,Value,Action,Time":                                                                                                                                                                                               "Subscan export of rewards",
		"Type,Buy,Cur.,Value in BTC,Value in EUR,Sell,Cur.,Value in BTC,Value in EUR,Spread,Exchange,Group,Date":                                                                                                                                                "CoinTracking",
		"Date,Received Quantity,Received Currency,Sent Quantity,Sent Currency,Fee Amount,Fee Currency,Tag":                                                                                                                                                      "CoinTracker",
		"Transaction Hash,Transaction Date,Syncing Status,Debit,Credit,Chart of Account Code,Chart of Account Name,Doc Number":                                                                                                                                  "TRES",
		"Nonce,Safe Address,From Address,To Address,Transaction Hash,Contract Address,Amount,Asset Type,Asset Symbol,Created at,Executed at,Proposer Address,Executor Address,Note,Amount Gas,Gas token":                                                        "Safe{Wallet}",
		"activity id,final status,activity title,activity type,asset,wallet name,transaction value,transaction currency,initiated by,approved by,rejected by,initiated time,last updated time,activity level,portfolio name,portfolio id,entity name,entity id": "Coinbase Prime",
		"ID,Timestamp,Transaction Type,Asset,Quantity Transacted,Price Currency,Price at Transaction,Subtotal,Total (inclusive of fees and/or spread),Fees and/or Spread,Notes":                                                                                 "Coinbase export",
	} {
		_, err := reconcile.ReadFile(t.Context(), strings.NewReader(header+"\n"), reconcile.Options{Symbol: "GLMR"})
		require.ErrorContains(t, err, want, header)
		require.ErrorContains(t, err, "this is the ", header)
	}
}

// TxnFee(ETH) may be any chain's: the fees are this one's if the ledger has one of the transactions. The column of
// another network's token is refused.
func TestExplorerThatCallsEachTokenETH(t *testing.T) {
	list := slices.DeleteFunc(allSent(t, "moonbeam-2100"), func(s *sent) bool { return s.EthHash == "" })
	p := products[0]
	g, _ := p.file(p.headers[0], list, true)
	text := strings.ReplaceAll(g.csv(','), "(GLMR)", "(ETH)")
	o := reconcile.Options{Symbol: "GLMR", RowsOnly: true}
	_, r := matched(t, text, o)
	require.Equal(t, map[reconcile.Outcome]int{reconcile.Matched: len(list)}, counts(r))
	_, err := reconcile.ReadFile(t.Context(), strings.NewReader(strings.ReplaceAll(g.csv(','), "(GLMR)", "(MOVR)")), o)
	require.ErrorContains(t, err, "MOVR")
}

// In a book, the rows of a batch share the fee of its transaction, or leave it to one of them. A second whole fee is
// deducted twice.
func TestSeveralRowsOfATransaction(t *testing.T) {
	s := allSent(t, "moonbeam-2100")[0]
	charged, _ := new(big.Int).SetString(s.Charged, 10)
	third := new(big.Int).Div(charged, big.NewInt(3))
	rest := new(big.Int).Sub(charged, new(big.Int).Add(third, third))
	inToken := func(wei *big.Int) string { return (&sent{Charged: wei.String()}).token() }
	p := products[slices.IndexFunc(products, func(p product) bool { return p.profile == "fireblocks" })]
	for name, c := range map[string]struct {
		fees []string
		want map[reconcile.Outcome]int
	}{
		"again":   {[]string{s.token(), s.token(), s.token()}, map[reconcile.Outcome]int{reconcile.Matched: 1, reconcile.Duplicate: 2}},
		"shared":  {[]string{inToken(third), inToken(third), inToken(rest)}, map[reconcile.Outcome]int{reconcile.Matched: 3}},
		"one":     {[]string{"", s.token(), "0"}, map[reconcile.Outcome]int{reconcile.Matched: 1, reconcile.LeftOut: 2}},
		"neither": {[]string{s.token(), inToken(third)}, map[reconcile.Outcome]int{reconcile.Matched: 1, reconcile.Duplicate: 1}},
	} {
		g := grid{strings.Split(p.headers[0], ",")}
		for _, fee := range c.fees {
			g = append(g, p.row(g[0], p.cells, s, fee, "GLMR", s.From))
		}
		o := reconcile.Options{Symbol: "GLMR", Accounts: payers(t, []*sent{s}), Period: heights(s.Height, s.Height), RowsOnly: true}
		_, r := matched(t, g.csv(','), o, name)
		require.Equal(t, c.want, counts(r), name)
		require.Equal(t, chain.Some(wei(t, s.Charged)), r.Total.Chain, name)
	}
}

// A file without a profile, whose fees are all cut, gets the flag proposed that accepts them.
func TestCutDecimalsAreProposed(t *testing.T) {
	list := paying(t)
	g := grid{{"hash", "fee (GLMR)"}}
	for _, s := range list {
		g = append(g, []string{s.hash(), cut(s.token(), 9)})
	}
	o := reconcile.Options{Symbol: "GLMR", Accounts: payers(t, list), RowsOnly: true}
	for _, decimals := range []int{0, 9, 8} {
		o.CutDecimals = decimals
		_, r := matched(t, g.csv(','), o)
		require.Equal(t, decimals == 9, r.Agrees(), decimals)
		notes := strings.Join(r.Notes, " ")
		if decimals == 9 {
			require.Contains(t, notes, "Cut after 9 decimals")
		} else {
			require.Contains(t, notes, "--cut-decimals 9")
		}
	}
}

// A user's own profile is tried first, and a named one is the only one.
func TestOwnProfiles(t *testing.T) {
	own, err := reconcile.ParseProfiles([]byte(`{"name": "own", "title": "our wallet's export", "kind": "book", "headers": ["Beleg", "Aufwand"],
		"columns": {"hash": ["Beleg"], "fee": ["Aufwand"]}, "unit": "token", "sign": "negative", "except": [{"columns": ["Art"], "values": ["~storno.*"], "why": "it was cancelled"}]}`))
	require.NoError(t, err)
	s := allSent(t, "moonbeam-2100")[0]
	text := grid{{"Beleg", "Aufwand", "Art"}, {s.hash(), "-" + s.token(), "Gas"}, {s.hash(), "-9", "Storno 7"}, {s.hash(), "4", "Eingang"}}.csv(';')
	o := reconcile.Options{Symbol: "GLMR", Profiles: own}
	rows := read(t, text, o)
	require.Equal(t, s.Charged, rows[0].Fee.String())
	require.Equal(t, "it was cancelled", rows[1].LeftOut)
	require.NotEmpty(t, rows[2].LeftOut)
	o.Profile = "koinly"
	_, err = readAll(strings.NewReader(text), o)
	require.ErrorContains(t, err, `no row has the columns of the profile koinly: "sending wallet"`)
	o.Profile = "unknown"
	_, err = readAll(strings.NewReader(text), o)
	require.ErrorContains(t, err, `--profile "unknown" is unknown`)
	for text, why := range map[string]string{
		``: "not a list of profiles", `[]`: "0 profiles", `[null]`: "a profile is null", `{"nam": 1}`: "unknown field", `{"name": "A"}`: "small letters",
		`{"name": "a"}`: "no title", `{"name": "a", "title": "a"}`: "no headers", `{"name": "a", "title": "a", "headers": ["x"]}`: `no "fee"`,
		`{"name": "a", "title": "a", "headers": ["x"], "columns": {"fee": ["f"]}}`:                                                       `no "hash"`,
		`{"name": "a", "title": "a", "headers": ["x"], "columns": {"fee": ["f"], "id": ["i"]}}`:                                          `kind ""`,
		`{"name": "a", "title": "a", "headers": ["x"], "columns": {"fees": ["f"]}}`:                                                      `no field is called "fees"`,
		`{"name": "a", "title": "a", "headers": ["~("], "columns": {"fee": ["f"], "id": ["i"]}}`:                                         "missing closing )",
		`{"name": "a", "title": "a", "headers": ["x#0"], "columns": {"fee": ["f"], "id": ["i"]}}`:                                        "number of the column",
		`{"name": "a", "title": "a", "kind": "book", "headers": ["x"], "columns": {"fee": ["f"], "id": ["i"]}, "unit": "ether"}`:         `unit "ether"`,
		`{"name": "a", "title": "a", "kind": "book", "headers": ["x"], "columns": {"fee": ["f"], "id": ["i"]}, "sign": "up"}`:            `sign "up"`,
		`{"name": "a", "title": "a", "kind": "book", "headers": ["x"], "columns": {"fee": ["f"], "id": ["i"]}, "decimals": 18}`:          "decimals 18",
		`{"name": "a", "title": "a", "kind": "book", "headers": ["x"], "columns": {"fee": ["f"], "id": ["i"]}, "date_formats": ["q"]}`:   "--date-format",
		`[{"name": "a", "title": "a", "headers": ["x"], "no_fees": "n"}, {"name": "a", "title": "a", "headers": ["x"], "no_fees": "n"}]`: "occurs twice",
		`[{"name": "a", "title": "a", "headers": ["x"], "no_fees": "n"}] 7`:                                                              "text after the end",
	} {
		_, err := reconcile.ParseProfiles([]byte(text))
		require.ErrorContains(t, err, why, text)
	}
}

// No header of a product is taken by another one's profile.
func TestProfilesDoNotCollide(t *testing.T) {
	all := reconcile.Profiles()
	for _, p := range products {
		for _, header := range p.headers {
			for _, other := range all {
				o := reconcile.Options{Symbol: "GLMR", Profile: other.Name}
				f, err := reconcile.ReadFile(t.Context(), strings.NewReader(header+"\n"), o)
				require.Equal(t, p.profile == other.Name, err == nil, "%s by %s: %v", header, other.Name, err)
				if err == nil {
					require.NoError(t, f.Close())
				}
			}
		}
	}
}
