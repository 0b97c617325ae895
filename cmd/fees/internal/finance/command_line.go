package finance

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/reconcile"
)

// commandLine is the command as it was given, with other settings. It can be pasted, but for the
// password of an address, which is not shown.
func commandLine(c *cobra.Command, args []string, settings []reconcile.Setting) string {
	words := strings.Fields(c.CommandPath())
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") }) {
		args = append([]string{"--"}, args...) // what comes after it is no flag
	} else {
		words = append(words, quotedAll(args)...)
		args = nil
	}
	skipped := []string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		list, isList := f.Value.(pflag.SliceValue)
		switch {
		case f.Name == "skip-rows":
			skipped = list.GetSlice()
		case slices.ContainsFunc(settings, func(s reconcile.Setting) bool { return s.Name == f.Name && !isList }): // another value
		case isList:
			for _, value := range list.GetSlice() {
				words = append(words, flagWords(f.Name, inList(value))...)
			}
		case f.Value.Type() == "bool" && f.Value.String() == "true":
			words = append(words, "--"+f.Name)
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name+"="+f.Value.String())
		default:
			words = append(words, flagWords(f.Name, cli.WithoutPassword(f.Value.String()))...)
		}
	})
	for _, s := range settings {
		switch {
		case s.Name == "skip-rows":
			skipped = append(skipped, strings.Split(s.Value, ",")...)
		case s.Value == "":
			words = append(words, "--"+s.Name)
		case s.Name == "map":
			words = append(words, flagWords(s.Name, inList(s.Value))...)
		default:
			words = append(words, flagWords(s.Name, s.Value)...)
		}
	}
	if len(skipped) > 0 {
		words = append(words, flagWords("skip-rows", strings.Join(skipped, ","))...)
	}
	return strings.Join(append(words, quotedAll(args)...), " ")
}

func flagWords(name, value string) []string { return []string{"--" + name, console.Argument(value)} }

// inList is a value as one of a list that commas divide.
func inList(value string) string {
	if strings.ContainsAny(value, ",\"\n") {
		return `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
	}
	return value
}

func quotedAll(words []string) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = console.Argument(word)
	}
	return list
}
