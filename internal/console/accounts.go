package console

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// maxAccounts limits the accounts named in a line.
const maxAccounts = 20

// PaidNothing returns a note on selected accounts without fees, which reveals mistyped addresses. It names
// up to maxAccounts, ordered by their bytes.
func (t Token) PaidNothing(accounts []chain.Address) string {
	list := slices.SortedFunc(slices.Values(accounts), chain.Address.Compare)
	var names []string
	for _, a := range list[:min(len(list), maxAccounts)] {
		names = append(names, t.Account(a))
	}
	text := "no fees in the period for " + strings.Join(names, ", ")
	if more := len(list) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more; list them with fees report --by account", more)
	}
	return text
}
