package browsertest

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
)

// patience is the timeout of every step: far more than it takes, even on a busy machine.
const patience = 3 * time.Minute

// Browser is a running browser.
type Browser struct{ context context.Context }

// Start returns a browser for a test and its subtests. It ends with the test: it reads from a pipe of this
// process, so it also ends if the test binary is killed. Without FEES_WITH=browser the test is skipped.
func Start(t testing.TB) *Browser {
	t.Helper()
	path := program.Path(t, program.Browser, "chromium")
	allocator, leave := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"), // no other host name resolves
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
