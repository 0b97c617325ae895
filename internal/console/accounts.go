package console

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// mostAccounts is how many accounts are named in a line.
const mostAccounts = 20

// PaidNothing says which accounts that somebody asked for paid for nothing: each, where
// they are few, in the order of their bytes. A mistyped address is among them.
func PaidNothing(accounts []chain.Address) string {
	list := slices.SortedFunc(slices.Values(accounts), func(a, b chain.Address) int { return bytes.Compare(a[:], b[:]) })
	var names []string
	for _, a := range list[:min(len(list), mostAccounts)] {
		names = append(names, a.String())
	}
	text := "no fee of the period was paid by " + strings.Join(names, ", ")
	if more := len(list) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more: fees report --by account lists them", more)
	}
	return text
}
