package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Complete sets the values that shell completion offers for a flag.
func Complete(c *cobra.Command, flag string, values ...string) {
	CompleteBy(c, flag, func() []string { return values })
}

// CompleteBy sets the values that shell completion offers for a flag, made when the shell needs them.
func CompleteBy(c *cobra.Command, flag string, values func() []string) {
	f := c.Flags().Lookup(flag)
	if _, list := f.Value.(pflag.SliceValue); list {
		panic("the flag " + flag + " is a list, whose methods completed hides")
	}
	f.Value = completed{f.Value, values}
}

// completed is the value of a flag, with those that complete it.
type completed struct {
	pflag.Value
	values func() []string
}

// RegisterCompletions gives cobra the values for the flags of a command and of those below it. Cobra keeps them, and
// with them all commands, until the process ends.
func RegisterCompletions(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		value, ok := f.Value.(completed)
		if !ok {
			return
		}
		complete := func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return value.values(), cobra.ShellCompDirectiveDefault
		}
		if err := c.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic(err) // the flag was just found
		}
	})
	for _, below := range c.Commands() {
		RegisterCompletions(below)
	}
}
