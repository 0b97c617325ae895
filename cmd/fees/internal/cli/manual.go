package cli

import (
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"
)

// WriteHelp writes the help of a program and all its commands, with all flags, as one text.
func WriteHelp(root *cobra.Command) error {
	out := root.OutOrStdout()
	for c := range Explained(root) {
		c.InitDefaultHelpFlag()
		c.InitDefaultVersionFlag()
		if err := c.Flags().Set(AllFlags, "true"); err != nil {
			return err
		}
		if c != root {
			if _, err := fmt.Fprintf(out, "\n\n%s\n%s\n\n", c.CommandPath(), strings.Repeat("=", len(c.CommandPath()))); err != nil {
				return err
			}
		}
		if err := c.Help(); err != nil {
			return err
		}
	}
	return nil
}

// Explained iterates over a command and its descendants that have help, in the order of their groups.
func Explained(c *cobra.Command) iter.Seq[*cobra.Command] {
	return func(yield func(*cobra.Command) bool) { explained(c, yield) }
}

func explained(c *cobra.Command, yield func(*cobra.Command) bool) bool {
	if !yield(c) {
		return false
	}
	groups := []string{}
	for _, g := range c.Groups() {
		groups = append(groups, g.ID)
	}
	for _, group := range append(groups, "") {
		for _, sub := range c.Commands() {
			if sub.GroupID == group && sub.IsAvailableCommand() && sub.Name() != "help" && sub.Name() != "completion" && !explained(sub, yield) {
				return false
			}
		}
	}
	return true
}
