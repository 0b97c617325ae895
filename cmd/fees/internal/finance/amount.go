package finance

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/console"
)

// tokens is an amount in the token, and "not known" where it is not.
func tokens(amount chain.Optional[chain.Wei], symbol string) string {
	wei, ok := amount.Get()
	if !ok {
		return cli.NotKnown
	}
	return inToken(console.Tokens(wei), symbol)
}

// inToken is a number with the symbol, where that is known.
func inToken(number, symbol string) string {
	if symbol == "" {
		return console.Plain(number)
	}
	return console.Plain(number) + " " + console.Printable(symbol)
}
