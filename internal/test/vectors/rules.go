package vectors

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/network"
)

var builtIn = network.BuiltIn()

// Rules returns the built-in rules of a network for a runtime, or those of the specification.
func Rules(t *testing.T, name, runtime string) (network.Rules, error) {
	t.Helper()
	n, ok := builtIn.Named(name)
	require.True(t, ok, "no network %q", name)
	if runtime == "specification" {
		return n.SpecificationRules()
	}
	version, err := strconv.ParseUint(runtime, 10, 32)
	require.NoError(t, err)
	return n.Rules(uint32(version))
}
