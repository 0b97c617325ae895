package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/chain"
)

// replaced maps former names of flags to the current ones.
var replaced = map[string]map[string]string{
	"fees close":         {"to": "as"},
	"fees export":        {"until": "to"},
	"fees ledger detach": {"to": "output"},
}

// FlagError improves a flag error: it names the unknown command in place of an unknown flag of it, the current name of a
// renamed flag, similar names, what the value should be, or the command that lists the flags.
func FlagError(c *cobra.Command, err error) error {
	for old, now := range replaced[c.CommandPath()] {
		if err.Error() == "unknown flag: --"+old {
			return fmt.Errorf("unknown flag --%s; use --%s (see %s --help)", old, now, c.CommandPath())
		}
	}
	if words := c.Flags().Args(); c.HasSubCommands() && c.Args != nil {
		if unknown := c.Args(c, words); unknown != nil {
			return unknown
		}
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if want := formOf(wrong.Unwrap()); want != "" {
			return fmt.Errorf("--%s %q: want %s; see %s --help", wrong.GetFlag().Name, wrong.GetValue(), want, c.CommandPath())
		}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if flags := similarFlags(c, unknown.GetSpecifiedName()); len(flags) > 0 {
			return fmt.Errorf("%w; did you mean --%s?", err, strings.Join(flags, " or --"))
		}
	}
	return fmt.Errorf("%s; see %s --help", strings.TrimSuffix(err.Error(), "."), c.CommandPath())
}

// formOf returns what a value should be that the standard library could not parse, or "" for other errors.
func formOf(err error) string {
	number, ok := errors.AsType[*strconv.NumError](err)
	switch {
	case !ok && strings.HasPrefix(err.Error(), "time: "): // package time has no type for it
		return "a duration such as 30s or 5m"
	case !ok:
		return ""
	case errors.Is(number, strconv.ErrRange):
		return "a smaller number"
	case number.Func == "ParseBool":
		return "true or false"
	case number.Func == "ParseFloat":
		return "a number such as 2.5"
	}
	return "a whole number"
}

// similarFlags returns the flags of a command whose names are similar to name.
func similarFlags(c *cobra.Command, name string) []string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return similar(name, names...)
}

// similar returns the names that are similar to name. Cobra compares names of commands only, so they are dressed as commands.
func similar(name string, names ...string) []string {
	group := &cobra.Command{SuggestionsMinimumDistance: maxTypos}
	for _, n := range names {
		group.AddCommand(&cobra.Command{Use: n, RunE: ShowHelp})
	}
	return group.SuggestionsFor(name)
}

// NoneOf rejects arguments with the message unknown, which has %q for the argument and advice after a
// semicolon. If a subcommand has a similar name, that is suggested instead of the advice.
func NoneOf(unknown string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		c.SuggestionsMinimumDistance = maxTypos
		if commands := c.SuggestionsFor(args[0]); len(commands) > 0 {
			unknown, _, _ = strings.Cut(unknown, ";")
			return fmt.Errorf(unknown+"; did you mean %s %s?", args[0], c.CommandPath(), strings.Join(commands, " or "))
		}
		return fmt.Errorf(unknown, args[0])
	}
}

// maxTypos is the edit distance up to which another name is suggested.
const maxTypos = 2

// ShowHelp runs a command that only groups others.
func ShowHelp(c *cobra.Command, _ []string) error { return c.Help() }

// OneArg requires exactly one argument, described by what.
func OneArg(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s needs one argument: %s", c.CommandPath(), what)
		}
		return nil
	}
}

// Arg requires exactly one argument, described by what, and parses it.
func Arg[T any](what string, to *T, parse func(string) (T, error)) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := OneArg(what)(c, args)
		if err == nil {
			*to, err = parse(args[0])
		}
		return err
	}
}

// AnyArgs requires at least one argument; message is the error without one.
func AnyArgs(message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New(message)
		}
		return nil
	}
}

// NoArgument rejects arguments, with advice.
func NoArgument(advice string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("%s takes no argument, got %d; %s", c.CommandPath(), len(args), advice)
		}
		return nil
	}
}

// Args requires between lowest and highest arguments, described by what.
func Args(lowest, highest int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < lowest || len(args) > highest {
			return fmt.Errorf("%s takes %s, got %d", c.CommandPath(), what, len(args))
		}
		return nil
	}
}

// ParseHeight parses the height of a block.
func ParseHeight(text string) (uint64, error) {
	height, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("height %q must be a number from 0 to 4294967295", text)
	}
	return height, nil
}

// At returns the height of --at, unknown if the flag is not set.
func At(c *cobra.Command, at int64) (none chain.Optional[uint64], err error) {
	if !c.Flags().Changed("at") {
		return none, nil
	}
	if at < 0 {
		return none, fmt.Errorf("--at %d must be 0 or more", at)
	}
	return chain.Some(uint64(at)), nil
}

// ParseFrom parses the height of --from, unknown if text is empty.
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
