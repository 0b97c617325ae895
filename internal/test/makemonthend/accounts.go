package main

import (
	"strings"

	"github.com/feeledger/fees/internal/test/chaingen"
)

// company is the group of the accounts in the company's record of fees.
const company = "company"

// named is an address book entry.
type named struct{ label, group, account string }

// names are those of the chain's accounts, the treasury first.
var names = []named{
	{"Treasury", "network", ""},
	{"Operations", company, "Assets:Company:Operations"},
	{"Customer refunds", company, "Assets:Company:Refunds"},
	{"Savings", company, "Assets:Company:Savings"},
	{"Payroll", "payroll", "Assets:Payroll"},
	{"Supplier North", "counterparty", ""},
	{"Supplier South", "counterparty", ""},
	{"Exchange", "counterparty", ""},
}

// addressBook returns an address book with each account whose balances are in the archive.
func addressBook(c *chaingen.Chain) string {
	var out strings.Builder
	out.WriteString("address,label,group,account\n")
	for i, a := range c.Accounts() {
		n := names[i]
		out.WriteString(strings.Join([]string{a.String(), n.label, n.group, n.account}, ",") + "\n")
	}
	return out.String()
}
