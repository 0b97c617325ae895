package cli

import (
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/network"
)

// A build in a repository has a commit and its date; for any other they are unknown.
func TestBuild(t *testing.T) {
	b := buildOf(&debug.BuildInfo{Main: debug.Module{Version: "v0.1.0"}, Settings: []debug.BuildSetting{
		{Key: "vcs", Value: "git"},
		{Key: "vcs.revision", Value: "635401f26a63bd1bbbbf05a54c0d5a16bd0a6bdf"},
		{Key: "vcs.time", Value: "2026-11-24T05:33:02Z"},
		{Key: "vcs.modified", Value: "true"},
	}})
	require.Equal(t, "v0.1.0", b.Version)
	require.Equal(t, "635401f26a63bd1bbbbf05a54c0d5a16bd0a6bdf", *b.Commit)
	require.Equal(t, time.Date(2026, 11, 24, 5, 33, 2, 0, time.UTC), *b.Date)
	require.True(t, *b.Modified)

	b.readTables(network.BuiltIn())
	text := func(b *Build) string {
		var out strings.Builder
		page := console.NewPage(&out, 80)
		b.write(page)
		require.NoError(t, page.Flush())
		return out.String()
	}
	require.Contains(t, text(b), "\ncommit  635401f26a63bd1bbbbf05a54c0d5a16bd0a6bdf, modified since\ndate    2026-11-24T05:33:02Z\n")

	for _, info := range []*debug.BuildInfo{nil, {}} {
		unknown := buildOf(info)
		require.Equal(t, "(devel)", unknown.Version)
		require.Nil(t, unknown.Commit)
		require.Nil(t, unknown.Date)
		require.Nil(t, unknown.Modified)
		require.Contains(t, text(unknown), "\ncommit  not known\ndate    not known\n")
	}
}
