package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// atTerminal runs the program on a terminal of some width and returns everything shown.
func atTerminal(t *testing.T, ctx context.Context, columns uint16, args ...string) (shown string, code int) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	defer person.Close()
	fd := int(person.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns}))
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	all := make(chan string)
	go func() {
		text, _ := io.ReadAll(person) // ends with an error when the terminal is closed
		all <- string(text)
	}()
	code = run(ctx, args, terminal, terminal)
	terminal.Close()
	return strings.ReplaceAll(<-all, "\r\n", "\n"), code
}

// On a terminal, tables use its width, and verdicts have colors unless NO_COLOR or TERM disable them. Formats for
// programs have none.
func TestTerminalColours(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	block := []string{"block", "25", "--gateway", "demo"}
	shown, code := atTerminal(t, t.Context(), 60, block...)
	require.Equal(t, exitOK, code)
	require.Equal(t, 5, strings.Count(shown, "\x1b[32mmatch\x1b[0m"))
	fits(t, text.StripEscape(shown), 60)
	plain, _, _ := feesAt(t, 60, block...)
	require.Equal(t, plain, text.StripEscape(shown))

	shown, _ = atTerminal(t, t.Context(), 60, append(block, "--format", "json")...)
	require.NotContains(t, shown, "\x1b")
	file := t.TempDir() + "/block.txt"
	_, _ = atTerminal(t, t.Context(), 60, append(block, "-o", file)...)
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	whole, _, _ := fees(block...)
	require.Equal(t, whole, string(kept), "a file is whole, and has no colours")

	for name, value := range map[string]string{"NO_COLOR": "1", "TERM": "dumb"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			shown, _ := atTerminal(t, t.Context(), 60, block...)
			require.Equal(t, plain, shown)
		})
	}
}

// The progress line is cleared before a report or an error.
func TestTerminalProgress(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	for _, c := range []struct{ command, begins string }{
		{"verify 0..27 --gateway demo", "Blocks 0..27"},
		{"verify 20..40 --gateway demo", "Blocks 20..40"},
	} {
		shown, _ := atTerminal(t, t.Context(), 80, strings.Fields(c.command)...)
		parts := strings.Split(shown, "\r\x1b[K")
		require.Greater(t, len(parts), 1, "%q", shown)
		for _, part := range parts[1 : len(parts)-1] {
			require.NotContains(t, part, "\n", "a line of progress stays")
		}
		require.True(t, strings.HasPrefix(parts[len(parts)-1], c.begins), "%q", shown)
	}
}

// A comparison shows how many rows it has compared, and how many blocks it has searched for the hashes that it did not find.
func TestTerminalProgressOfAComparison(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	record := t.TempDir() + "/record.csv"
	require.NoError(t, os.WriteFile(record, []byte("hash,fee_wei\n0x"+strings.Repeat("1", 64)+",5\n"), 0o600))
	shown, code := atTerminal(t, t.Context(), 80, "reconcile", record, "1..24", "--rows-only", "--gateway", "demo")
	require.Equal(t, exitFinding, code, shown)
	read, compared, _ := strings.Cut(shown, "fees: 1 of 1 rows")
	require.Contains(t, read, "24 of 24 blocks", "%q", shown)
	require.Contains(t, compared, "24 of 24 blocks", "%q", shown)
}

// A stopped command reports its progress once.
func TestTerminalStopped(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	shown, code := atTerminal(t, ctx, 80, "sync", "0..27", "--gateway", "demo", "--ledger", t.TempDir()+"/fees.db")
	require.Equal(t, exitInterrupted, code)
	require.Contains(t, shown, "fees: stopped")
	require.True(t, strings.HasSuffix(shown, "run it again to continue\n"), "%q", shown)
	require.Equal(t, 1, strings.Count(shown, "stopped"))

	ctx, stop = context.WithCancel(t.Context())
	stop()
	shown, code = atTerminal(t, ctx, 80, "demo", t.TempDir()+"/demo", "--yes")
	require.Equal(t, exitInterrupted, code)
	require.Equal(t, 1, strings.Count(shown, "stopped"), "%q", shown)
}
