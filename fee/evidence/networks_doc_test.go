package evidence_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network"
)

var update = flag.Bool("update", false, "rewrite the generated part of docs/networks.md")

const networksDoc = "../../docs/networks.md"

// The document has every check with the runtimes for which it is made, and each reason why
// one is not.
func TestDocumentOfChecks(t *testing.T) {
	text, err := os.ReadFile(networksDoc)
	require.NoError(t, err)
	const begin, end = "<!-- begin checks -->\n", "<!-- end checks -->"
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	have, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile(networksDoc, []byte(before+begin+checksDocument()+end+after), 0o644))
		return
	}
	require.Equal(t, checksDocument(), have, "go test ./evidence -run DocumentOfChecks -update rewrites it")
}

func checksDocument() string {
	var out strings.Builder
	networks := network.BuiltIn().All()
	out.WriteString("\n| check |")
	for _, n := range networks {
		fmt.Fprintf(&out, " %s |", n.Name)
	}
	out.WriteString("\n|---|" + strings.Repeat("---|", len(networks)) + "\n")
	var reasons []string
	for _, c := range evidence.Checks() {
		fmt.Fprintf(&out, "| `%s` |", c.ID)
		for i := range networks {
			fmt.Fprintf(&out, " %s |", c.Runtimes(&networks[i]))
		}
		out.WriteString("\n")
		why := map[string]bool{}
		for i := range networks {
			networks[i].Where(func(r *network.Rules) bool {
				if reason := c.WhyNot(r); reason != "" && !why[reason] {
					why[reason] = true
					reasons = append(reasons, fmt.Sprintf("- `%s`: %s.\n", c.ID, reason))
				}
				return false
			})
		}
	}
	out.WriteString("\nWhy one is not made for a runtime:\n\n" + strings.Join(reasons, ""))
	return out.String()
}

// The document explains every key of a table, and its example is one.
func TestDocumentOfTheTable(t *testing.T) {
	text, err := os.ReadFile(networksDoc)
	require.NoError(t, err)
	documented := map[string]bool{}
	for _, key := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(string(text), -1) {
		documented[key[1]] = true
	}
	for _, part := range []any{
		network.Network{}, network.Specification{}, network.TreasuryProportion{}, network.Row{}, network.DestinationsRow{},
		network.MultiplierUpdateRow{}, network.NativeFeeRow{}, network.LengthFee{}, network.ExistentialDepositRow{}, network.Anchor{},
	} {
		for _, key := range keysOf(reflect.TypeOf(part)) {
			require.True(t, documented[key], "docs/networks.md does not explain %s of %T", key, part)
		}
	}
	_, example, ok := strings.Cut(string(text), "```json\n")
	require.True(t, ok)
	example, _, ok = strings.Cut(example, "```")
	require.True(t, ok)
	tables, err := network.BuiltIn().With("mine.json", []byte(example))
	require.NoError(t, err)
	n, ok := tables.Named("mine")
	require.True(t, ok)
	rules, err := n.Rules(5)
	require.NoError(t, err)
	require.True(t, rules.Destinations.Known() && rules.Update.Known() && rules.NativeFee.Known() && rules.ExistentialDeposit.Known())
}

// keysOf are the keys of a type in JSON, those of embedded types included.
func keysOf(of reflect.Type) (keys []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous:
			keys = append(keys, keysOf(field.Type)...)
		case name != "" && name != "-":
			keys = append(keys, name)
		}
	}
	return keys
}
