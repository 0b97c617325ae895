package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
)

// Every kind of findings has a title, a meaning and a remedy of its own; a failed check says what should hold.
func TestKindsOfFindings(t *testing.T) {
	titles := map[string]bool{}
	for _, kind := range []string{"drift", "undetermined", "unclassified", "check"} {
		k := app.KindOfFinding(kind, "made.up", 0)
		titles[k.Title] = true
		require.True(t, strings.HasSuffix(k.Meaning, ".") && strings.HasSuffix(k.Remedy, "."), kind)
	}
	require.Len(t, titles, 4)
	for _, check := range evidence.Checks() {
		require.Contains(t, app.KindOfFinding("check", check.ID, 7).Meaning, check.Holds)
	}
	require.Equal(t, "fees verify 0..0 --gateway URL --against SECOND_URL", app.KindOfFinding("check", "block.final", 0).Command)
	require.Equal(t, "fees verify 6..7 --gateway URL --against SECOND_URL", app.KindOfFinding("check", "block.final", 7).Command)
	require.Equal(t, "fees verify 7:+1 --gateway ws://YOUR_NODE", app.KindOfFinding("check", "gateway.same", 7).Command)
}
