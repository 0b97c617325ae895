package chart_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/ledger"
)

const (
	payer    = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"
	contract = "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"
	token    = "0x798d4Ba9baf0064Ec19eB4F0a1a45785ae9D6DFc"
)

func address(t testing.TB, text string) chain.Address {
	a, err := chain.ParseAddress(text)
	require.NoError(t, err)
	return a
}

func read(t testing.TB, text string) *chart.Chart {
	c, err := chart.Read([]byte(text))
	require.NoError(t, err)
	return c
}

// facts are those of a transaction to which each condition below has a value.
func facts(t testing.TB) *chart.Facts {
	return &chart.Facts{
		Payer: address(t, payer), Label: "Payroll", Group: "company", Layer: fee.EVM, Kind: chart.KindFee,
		Contract: chain.Some(address(t, contract)), ContractLabel: "Exchange", Call: "ethereum.transact", Outcome: fee.Reverted,
		Tag: "Project X", ID: "25-4", Hash: chain.Hash{1}, EVMHash: chain.Some(chain.Hash{2}), Tokens: []chain.Address{address(t, token)},
	}
}

// Each condition accepts what the transaction has, whatever its case, and nothing else.
func TestConditions(t *testing.T) {
	for column, values := range map[string]struct{ fits, not []string }{
		"payer":    {[]string{payer, strings.ToLower(payer), contract + "|" + payer}, []string{contract}},
		"label":    {[]string{"Payroll", "payROLL", "Pay*", "a|payroll"}, []string{"Pay", "-", "Payroll2"}},
		"group":    {[]string{"company", "*"}, []string{"-", "other"}},
		"layer":    {[]string{"evm", "EVM"}, []string{"native"}},
		"kind":     {[]string{"fee"}, []string{"transfer", "staking-reward"}},
		"contract": {[]string{contract, "exchange"}, []string{payer, "-"}},
		"call":     {[]string{"ethereum.transact", "ethereum.*", "balances.*|ethereum.*"}, []string{"balances.*", "ethereum.tr"}},
		"outcome":  {[]string{"reverted", "failed|reverted"}, []string{"succeeded"}},
		"tag":      {[]string{"project x", "project*"}, []string{"-", "X"}},
		"id":       {[]string{"25-4", chain.Hash{1}.String(), chain.Hash{2}.String()}, []string{"25-5", chain.Hash{3}.String()}},
		"token":    {[]string{token}, []string{contract, "-"}},
	} {
		for _, value := range values.fits {
			require.Equal(t, "6810", place(t, column+",account\n\""+value+"\",6810\n"), "%s %s", column, value)
		}
		for _, value := range values.not {
			require.Empty(t, place(t, column+",account\n\""+value+"\",6810\n"), "%s %s", column, value)
		}
	}
	none := &chart.Facts{}
	for _, column := range []string{"label", "group", "contract", "tag", "token"} {
		c := read(t, column+",account\n-,1\n")
		require.Equal(t, "1", c.Place(none).Value(chart.Account), column)
		require.Empty(t, read(t, column+",account\n*,1\n").Place(none).Value(chart.Account), column)
	}
}

func place(t testing.TB, text string) string {
	return read(t, text).Place(facts(t)).Value(chart.Account)
}

// The first row that fits and names a target decides it; another row may decide another target.
func TestFirstMatch(t *testing.T) {
	c := read(t, `# suspense: 9999
label,layer,account,cost centre,class,Asset Account
Other,,1,1,1,1
,native,2,2,2,2
,evm,,100,-,
payroll,,6810,200,B,
,,6811,300,C,1510
`)
	p := c.Place(facts(t))
	for target, want := range map[chart.Target]struct {
		value string
		line  int
	}{chart.CostCentre: {"100", 5}, chart.Class: {"", 5}, chart.Account: {"6810", 6}, chart.Asset: {"1510", 7}, chart.Project: {"", 0}} {
		require.Equal(t, want.value, p.Value(target), target)
		require.Equal(t, want.line, p.Line(target), target)
	}
	require.Equal(t, "9999", c.Setting(chart.SettingSuspense))
	require.Equal(t, 1, c.Line(chart.SettingSuspense))
	require.Equal(t, []int{3, 4, 5, 6, 7}, c.Rules())
	require.False(t, c.UsesTokens())
	require.True(t, read(t, "token,account\n"+token+",1\n").UsesTokens())
	var nothing *chart.Chart
	require.Empty(t, nothing.Place(facts(t)).Value(chart.Account))
}

// Spreadsheets save settings in quotes, with separators behind them, and rows without content.
func TestSpreadsheet(t *testing.T) {
	c := read(t, "\ufeff\"# columns: Date = date, Konto = account\";;\r\n# Suspense : 9999;;\r\n# a comment;;\r\nlabel;account;note\r\n;;\r\n\"Pay;roll\";6810;ours\r\nPayroll;\"6,8\";\r\n")
	require.Equal(t, "Date = date, Konto = account", c.Setting("columns"))
	require.Equal(t, []string{"columns", "suspense"}, c.Settings())
	require.Equal(t, "9999", c.Setting(chart.SettingSuspense))
	require.Equal(t, "6,8", c.Place(facts(t)).Value(chart.Account))
	require.Equal(t, 7, c.Place(facts(t)).Line(chart.Account))
}

func TestReadErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", "it has no rule: want a header such as label,layer,account and a line for each rule"},
		"header only": {"label,account\n", "it has no rule: want a header such as label,layer,account and a line for each rule"},
		"misspelt":    {"lable,account\nx,1\n", `line 1: the column "lable" is not known: want payer, label, group, layer, kind, contract, call, outcome, tag, id, token, account, asset, cost_centre, class, department, project, location, tax_code`},
		"twice":       {"account,expense\n1,2\n", `line 1: two columns are named "expense"`},
		"no target":   {"label,group\na,b\n", "line 1: no column names an account: want a column account"},
		"all at once": {
			"# suspense: =1\n# rounding: 1\n# rounding: 2\npayer,layer,call,id,outcome,kind,account\n" +
				"0x12,,,,,,1\n,both,,,,,1\n,,transfer,,,,1\n,,,25,,,1\n,,,,lost,,1\n,,,,,bribe,1\n,evm,,,,,\n,,,,,,=cmd\n,,,,,,-\n,,,,,,1,2\n|,,,,,,1\n",
			`line 1: suspense "=1": a spreadsheet would take it for a formula
line 3: "rounding" is set to "2" here, and to "1" on line 2
line 5: payer "0x12": "0x12" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes
line 6: layer "both": want evm, native
line 7: call "transfer": want a pallet and a call such as balances.transfer, or balances.*
line 8: id "25": want a transaction such as 25-4, or its hash
line 9: outcome "lost": want succeeded, reverted, out_of_gas, failed
line 10: kind "bribe": want transfer, evm-value, xcm, staking-reward, priority-fee, treasury, fee, fee-refund, issuance, balance-set, suspension, deposit, deposit-passed, deposit-unmatched, slash, dust, bond, reserve, unclassified
line 11: it names no account and no dimension: remove it, or fill in the account
line 12: account "=cmd": a spreadsheet would take it for a formula
line 13: account "-": a fee needs an account
line 14: 8 fields, and there are 7 columns; text with a separator in it belongs in quotes
line 15: payer "|": an alternative is empty`,
		},
		"line break": {"account\n\"a\nb\"\n", "line 2: account \"a b\": a line break or a control character is in it"},
		"long":       {"account\n" + strings.Repeat("x", 201) + "\n", "line 2: the account has 201 bytes, want at most 200"},
		"UTF-16":     {"\xff\xfea\x00", "it is UTF-16: save it as UTF-8"},
		"checksum":   {"payer,account\n" + payer[:41] + "C,1\n", `line 2: payer "` + payer[:41] + `C": "` + payer[:41] + `C" has an invalid EIP-55 checksum. If every digit is correct, write ` + payer},
		"open quote": {"account\n\"1\n", `line 2: extraneous or missing " in quoted-field`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := chart.Read([]byte(c.text))
			require.EqualError(t, err, c.want)
		})
	}
	_, err := chart.Read([]byte("account\n" + strings.Repeat("=\n", 1000)))
	require.ErrorContains(t, err, "and perhaps more")
	require.Equal(t, 21, strings.Count(err.Error(), "\n")+1)
	_, err = chart.Read([]byte("account\n" + strings.Repeat("1\n", 10_001)))
	require.EqualError(t, err, "line 10002: more than 10000 rules")
}

func TestTags(t *testing.T) {
	one, two := chain.Hash{1}.String(), chain.Hash{2}.String()
	tags, err := chart.ReadTags([]byte("Hash,Tag\n" + strings.ToUpper(one[2:3]) + "\n"))
	require.Error(t, err)
	require.Nil(t, tags)
	for _, text := range []string{one + ",Project X\n", "hash;tag\n" + two + ";Project X\n", "id,tag\n25-4,Project X\n25-5,Y\n", one + ",Project X\n25-4,Project X\n"} {
		tags, err := chart.ReadTags([]byte(text))
		require.NoError(t, err)
		tag, err := tags.Tag(facts(t))
		require.NoError(t, err)
		require.Equal(t, "Project X", tag)
	}
	tags, err = chart.ReadTags([]byte(one + ",A\n" + two + ",B\n"))
	require.NoError(t, err)
	_, err = tags.Tag(facts(t))
	require.EqualError(t, err, `transaction 25-4 has the tag "A" on line 1, and "B" on line 2 of the tag file`)
	_, err = chart.ReadTags([]byte(one + ",A\n" + one + ",B\nx,y\n" + two + ",=1\n" + two + "\n"))
	require.EqualError(t, err, `line 2: `+one+` has the tag "B" here, and "A" on line 1
line 3: "x": want a transaction such as 25-4, or its hash
line 4: tag "=1": a spreadsheet would take it for a formula
line 5: 1 fields, want hash,tag`)
	var none *chart.Tags
	tag, err := none.Tag(facts(t))
	require.NoError(t, err)
	require.Empty(t, tag)
}

// Whatever is read stays within its limits, and places a transaction.
func FuzzRead(f *testing.F) {
	f.Add("# suspense: 1\nlabel,account,class\nPay*|-,6810,-\n,6811,\n")
	f.Add("\"# columns: a = date, b = account\";\nid;token;account\n25-4;" + token + ";1\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := chart.Read([]byte(text))
		if err != nil {
			require.Nil(t, c)
			return
		}
		p := c.Place(facts(t))
		for _, target := range chart.Targets() {
			value := p.Value(target)
			require.LessOrEqual(t, len(value), 200)
			require.False(t, value != "" && strings.ContainsAny(value[:1], "=+-@|"), "%q", value)
			if p.Line(target) > 0 {
				require.Contains(t, c.Rules(), p.Line(target))
			}
		}
	})
}

// A payer of 32 bytes is named by SS58 with any prefix, by hex, or by the EVM address that signed.
func TestPayerOf32Bytes(t *testing.T) {
	evm := address(t, payer)
	f := chart.FactsOf(&ledger.Transaction{Cost: ledger.Cost{Kind: ledger.Kind{Layer: fee.EVM}, Payer: chain.Some(evm.Hashed())}, Sender: chain.Some(evm)})
	for _, name := range []string{
		"5Fghzk1AJt88PeFEzuRfXzbPchiBbsVGTTXcdx599VdZzkTA", evm.Hashed().SS58(7391), "0xa02a00e549cb104f710d3fe6f2f83e91524d2a40c4ed831658a120883077f9a9", payer, contract + "|" + payer,
	} {
		require.Equal(t, "6810", read(t, "payer,account\n"+name+",6810\n").Place(f).Value(chart.Account), name)
	}
	for _, name := range []string{"5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", contract} {
		require.Empty(t, read(t, "payer,account\n"+name+",6810\n").Place(f).Value(chart.Account), name)
	}
	_, err := chart.Read([]byte("payer,account\n5Fghzk1AJt88PeFEzuRfXzbPchiBbsVGTTXcdx599VdZzkTB,6810\n"))
	require.ErrorContains(t, err, "SS58 of 32 bytes with a valid checksum")
}
