package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
)

// replaced are flags that had another name.
var replaced = map[string]map[string]string{
	"fees close":         {"to": "as"},
	"fees export":        {"until": "to"},
	"fees ledger detach": {"to": "output"},
}

// FlagError says where the flags are explained, and which flag stands for one that had another
// name.
func FlagError(c *cobra.Command, err error) error {
	for old, now := range replaced[c.CommandPath()] {
		if err.Error() == "unknown flag: --"+old {
			return fmt.Errorf("--%s is --%s; %s --help lists the flags", old, now, c.CommandPath())
		}
	}
	return fmt.Errorf("%s; %s --help lists the flags", strings.TrimSuffix(err.Error(), "."), c.CommandPath())
}

// NoneOf is for commands that only have others below them: an argument is one
// that is not there. Unknown is the message, with %q in the argument's place, and advice
// behind a semicolon, in whose place a command with a like name is proposed.
func NoneOf(unknown string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		c.SuggestionsMinimumDistance = mostMistyped
		if meant := c.SuggestionsFor(args[0]); len(meant) > 0 {
			unknown, _, _ = strings.Cut(unknown, ";")
			return fmt.Errorf(unknown+"; did you mean %s %s?", args[0], c.CommandPath(), strings.Join(meant, " or "))
		}
		return fmt.Errorf(unknown, args[0])
	}
}

// mostMistyped is how many letters of a command may be wrong for another to be proposed.
const mostMistyped = 2

// ShowHelp is what a command does that only has others below it.
func ShowHelp(c *cobra.Command, _ []string) error { return c.Help() }

// OneArg wants exactly one argument, and says which.
func OneArg(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s wants %s, and has %d arguments; %s --help explains", c.Name(), what, len(args), c.CommandPath())
		}
		return nil
	}
}

// Arg wants exactly one argument, says which, and reads it.
func Arg[T any](what string, to *T, read func(string) (T, error)) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := OneArg(what)(c, args)
		if err == nil {
			*to, err = read(args[0])
		}
		return err
	}
}

// AnyArgs wants an argument at least, and says what is wanted.
func AnyArgs(wanted string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New(wanted)
		}
		return nil
	}
}

// NoArgument refuses arguments, with advice.
func NoArgument(advice string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("%s wants no argument, and has %d; %s", c.Name(), len(args), advice)
		}
		return nil
	}
}

// ParseHeight reads the height of a block.
func ParseHeight(text string) (uint64, error) {
	height, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("height %q: want a number from 0 to 4294967295", text)
	}
	return height, nil
}

// At is the height that --at names, not known where the flag is not given.
func At(c *cobra.Command, at int64) (none chain.Optional[uint64], err error) {
	if !c.Flags().Changed("at") {
		return none, nil
	}
	if at < 0 {
		return none, fmt.Errorf("--at %d: want a height of 0 or more", at)
	}
	return chain.Some(uint64(at)), nil
}

// ParseFrom reads the height of --from, not known where the flag is not given.
func ParseFrom(text string) (none chain.Optional[uint64], err error) {
	if text == "" {
		return none, nil
	}
	height, err := ParseHeight(text)
	if err != nil {
		return none, fmt.Errorf("--from: %w", err)
	}
	return chain.Some(height), nil
}
