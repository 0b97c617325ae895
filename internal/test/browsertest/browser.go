package browsertest

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
)

// patience is how long anything may take: far more than it does, also on a busy machine.
const patience = 3 * time.Minute

// Browser is a browser that runs.
type Browser struct{ context context.Context }

// Start is a browser for a test and those within it. It ends with the test: it reads from a pipe of
// this process, so that it ends with a test binary that is killed, too. Where nobody
// asks for a browser the test is skipped.
func Start(t testing.TB) *Browser {
	t.Helper()
	path := program.Path(t, program.Browser, "chromium")
	allocator, leave := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"), // no other machine has a name here
		chromedp.Env("HOME="+t.TempDir(), "LANG=C.UTF-8", "TZ=UTC"),
	)...)
	run, _ := chromedp.NewContext(allocator, chromedp.WithErrorf(t.Logf))
	t.Cleanup(func() {
		defer leave()
		ending, enough := context.WithTimeout(run, patience)
		defer enough()
		require.NoError(t, chromedp.Cancel(ending))
	})
	require.NoError(t, chromedp.Do(run))
	return &Browser{run}
}
