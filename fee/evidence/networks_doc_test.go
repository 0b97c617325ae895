package evidence_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

var update = flag.Bool("update", false, "rewrite the generated part of docs/networks.md")

const networksDoc = "../../docs/networks.md"

// The document lists the checks that some runtimes lack.
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

// checksDocument lists the checks that some runtimes lack, grouped by the runtimes that have them.
func checksDocument() string {
	networks := network.BuiltIn().All()
	var order []string
	checks := map[string][]string{}
	for _, c := range evidence.Checks() {
		if !slices.ContainsFunc(networks, func(n network.Network) bool { return c.ListedFor(&n) }) {
			continue
		}
		var ranges []string
		names := map[string][]string{}
		for i := range networks {
			r := c.Runtimes(&networks[i])
			if names[r] == nil {
				ranges = append(ranges, r)
			}
			names[r] = append(names[r], networks[i].Name)
		}
		if len(ranges) == 1 && ranges[0] == "all" {
			continue
		}
		var runtimes []string
		for _, r := range ranges {
			if r != "all" {
				runtimes = append(runtimes, strings.Join(names[r], ", ")+" "+r)
			}
		}
		key := strings.Join(runtimes, "; ")
		if checks[key] == nil {
			order = append(order, key)
		}
		checks[key] = append(checks[key], "`"+c.ID+"`")
	}
	var out strings.Builder
	out.WriteString("\n")
	for _, key := range order {
		fmt.Fprintf(&out, "- %s: %s\n", strings.Join(checks[key], ", "), key)
	}
	out.WriteString("\n")
	return out.String()
}

// The document explains every key of a table, and its example is one.
func TestDocumentOfTheTable(t *testing.T) {
	text, err := os.ReadFile(networksDoc)
	require.NoError(t, err)
	documented := map[string]bool{}
	for _, key := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(string(text), -1) {
		documented[key[1]] = true
	}
	for _, part := range []any{
		network.Network{}, network.Specification{}, rule.TreasuryProportion{}, rule.PriceRow{}, rule.DestinationsRow{},
		rule.MultiplierUpdateRow{}, rule.BaseFeeUpdateRow{}, rule.StoredBaseFee{}, rule.NativeFeeRow{}, rule.LengthFee{}, rule.ExistentialDepositRow{}, network.Anchor{},
	} {
		for _, key := range keysOf(reflect.TypeOf(part)) {
			require.True(t, documented[key], "docs/networks.md does not explain %s of %T", key, part)
		}
	}
}

// keysOf returns the keys of a type in JSON, those of embedded types included.
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
