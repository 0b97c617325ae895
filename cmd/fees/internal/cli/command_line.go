package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/feeledger/fees/internal/console"
)

// Line returns a command line: words, and the named flags as c was given them. Other flags come from the
// environment or have defaults, for both commands alike.
func Line(c *cobra.Command, words string, flags ...string) string {
	line := []string{words}
	if c != nil {
		for _, name := range flags {
			if f := c.Flags().Lookup(name); f != nil && f.Changed {
				line = append(line, wordsOf(f)...)
			}
		}
	}
	return strings.Join(line, " ")
}

// Setting is a flag with its value, "" for a flag without one.
type Setting struct{ Name, Value string }

// Again returns the command line of c with changed settings, for pasting. It omits passwords in URLs.
// Settings of list flags are added to the list.
func Again(c *cobra.Command, args []string, settings ...Setting) string {
	words := strings.Fields(c.CommandPath())
	if slices.ContainsFunc(args, func(arg string) bool { return arg != "-" && strings.HasPrefix(arg, "-") }) {
		args = append([]string{"--"}, args...) // ends the flags
	} else {
		words = append(words, quotedAll(args)...)
		args = nil
	}
	skipped := []string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		list, isList := f.Value.(pflag.SliceValue)
		switch {
		case f.Name == skipRows:
			skipped = list.GetSlice()
		case slices.ContainsFunc(settings, func(s Setting) bool { return s.Name == f.Name && !isList }): // another value
		case isList:
			for _, value := range list.GetSlice() {
				if !slices.ContainsFunc(settings, func(s Setting) bool { return s.Name == f.Name && sameKey(s.Value, value) }) {
					words = append(words, flagWords(f.Name, console.InList(value))...)
				}
			}
		default:
			words = append(words, wordsOf(f)...)
		}
	})
	for i, s := range settings {
		if slices.ContainsFunc(settings[i+1:], func(later Setting) bool { return later.Name == s.Name && sameKey(later.Value, s.Value) }) {
			continue
		}
		f := c.Flags().Lookup(s.Name)
		_, isList := f.Value.(pflag.SliceValue)
		switch {
		case s.Name == skipRows:
			skipped = append(skipped, strings.Split(s.Value, ",")...)
		case s.Value == "":
			words = append(words, "--"+s.Name)
		case isList:
			words = append(words, flagWords(s.Name, console.InList(s.Value))...)
		default:
			words = append(words, flagWords(s.Name, s.Value)...)
		}
	}
	if len(skipped) > 0 {
		words = append(words, flagWords(skipRows, strings.Join(skipped, ","))...)
	}
	return strings.Join(append(words, quotedAll(args)...), " ")
}

// sameKey reports whether two values have the same key, such as fee=A and fee=B.
func sameKey(a, b string) bool {
	key, _, is := strings.Cut(a, "=")
	other, _, both := strings.Cut(b, "=")
	return is && both && strings.TrimSpace(key) == strings.TrimSpace(other)
}

// skipRows is a flag whose numbers are joined in one list.
const skipRows = "skip-rows"

// wordsOf returns a flag as it was given.
func wordsOf(f *pflag.Flag) (words []string) {
	list, isList := f.Value.(pflag.SliceValue)
	switch {
	case isList:
		for _, value := range list.GetSlice() {
			words = append(words, flagWords(f.Name, console.InList(value))...)
		}
		return words
	case f.Value.Type() == "bool" && f.Value.String() == "true":
		return []string{"--" + f.Name}
	case f.Value.Type() == "bool":
		return []string{"--" + f.Name + "=" + f.Value.String()}
	}
	return flagWords(f.Name, WithoutPassword(f.Value.String()))
}

func flagWords(name, value string) []string { return []string{"--" + name, console.Argument(value)} }

func quotedAll(words []string) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = console.Argument(word)
	}
	return list
}
