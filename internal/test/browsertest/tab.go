package browsertest

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// The screen sizes that pages are designed for: a phone, a tablet, and a desktop.
var (
	Phone   = Size{390, 844}
	Tablet  = Size{1024, 768}
	Desktop = Size{1440, 900}
)

// Size is the size of a screen, in CSS pixels.
type Size struct{ Width, Height int64 }

// widestPhone is the widest touch screen.
const widestPhone = 834

// Options configures a tab.
type Options struct {
	Size            // the default is Desktop
	Dark       bool // the system prefers dark colours
	Scriptless bool // scripts are disabled
}

// Tab is a tab with a separate profile, which shows the pages of one server.
type Tab struct {
	t         testing.TB
	context   context.Context
	origin    string
	seen      *watch
	downloads string // the directory
}

// Tab opens a tab for a server. At the end of the test it fails if anything went wrong.
func (b *Browser) Tab(t testing.TB, origin string, o Options) *Tab {
	t.Helper()
	seen := &watch{origin: origin, loads: make(chan struct{}, 1), saved: make(chan string, 1), begun: map[string]string{}}
	ctx, leave := chromedp.NewContext(b.context, chromedp.WithNewBrowserContext(), chromedp.WithListener(seen.see))
	tab := &Tab{t, ctx, origin, seen, t.TempDir()}
	t.Cleanup(func() {
		defer leave()
		require.Empty(t, seen.troubles(), "problems reported by the browser")
	})
	require.NoError(t, chromedp.Do(ctx))
	seen.frame = cdp.FrameID(chromedp.FromContext(ctx).Target.TargetID) // the ID of a page's first frame
	require.NoError(t, chromedp.ListenBrowser(ctx, seen.see))
	call(tab, audits.Enable, cdp.Empty{})
	yes := true
	_, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: chromedp.FromContext(ctx).BrowserContextID, DownloadPath: tab.downloads, EventsEnabled: &yes,
	})
	require.NoError(t, err)
	if o.Size == (Size{}) {
		o.Size = Desktop
	}
	tab.Resize(o.Size)
	tab.Colours(o.Dark)
	call(tab, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}) // even with other tabs open
	if o.Scriptless {
		call(tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	return tab
}

// Resize changes the screen size.
func (b *Tab) Resize(s Size) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: s.Width, Height: s.Height, DeviceScaleFactor: 1, Mobile: s.Width <= widestPhone})
}

// Colours selects dark or light system colours.
func (b *Tab) Colours(dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// call sends a command to the browser.
func call[P, R any](b *Tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, leave := context.WithTimeout(b.context, patience)
	defer leave()
	answer, err := chromedp.Call(ctx, command, params)
	require.NoError(b.t, err, command.Method)
	return answer
}

// address returns the URL of a path.
func (b *Tab) address(path string) string {
	if strings.HasPrefix(path, "/") {
		return b.origin + path
	}
	return path
}
