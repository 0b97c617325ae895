package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/console"
)

func TestPeriodName(t *testing.T) {
	for name, want := range map[string]string{
		"2026-01": "January 2026", "2026-01 in Europe/Berlin": "January 2026 in Europe/Berlin", "2026": "2026", "": "",
		"2026-01-05 to 2026-02-09": "5 Jan 2026 to 9 Feb 2026", "2026-01-05 to 2026-01-05 in America/New_York": "5 Jan 2026 in America/New_York",
		"blocks 3..27": "blocks 3..27", "2026-01-05": "5 Jan 2026", "2026-13": "2026-13", "now": "now",
	} {
		require.Equal(t, want, console.PeriodName(name), name)
	}
}
