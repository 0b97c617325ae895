package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Required is the environment variable that, when it is set, makes a test fail where it would be
// skipped because there is no browser.
const Required = "FEES_REQUIRE_BROWSER"

// patience is how long anything may take: far more than it does, also on a busy machine.
const patience = 3 * time.Minute

// Browser is a browser that runs.
type Browser struct{ context context.Context }

// Start is a browser for a test and those within it. It ends with the test: it reads from a pipe of
// this process, so that it ends with a test binary that is killed, too. Without a browser on this
// machine the test is skipped, or fails if the environment has FEES_REQUIRE_BROWSER.
func Start(t testing.TB) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv(Required) != "" {
			t.Fatal(Required + " is set, and there is no chromium")
		}
		t.Skip("SKIPPED: there is no chromium: the pages were not tried in a browser (Debian's package chromium)")
	}
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
