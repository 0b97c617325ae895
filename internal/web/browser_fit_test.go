package web_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/browsertest"
)

// fits opens each page at the widths of a desktop, a laptop and a phone: each amount, each verdict and
// each label of a chart is on the screen, and no page scrolls sideways.
func fits(t *testing.T, b *browsertest.Browser, s *viewed) {
	account, tables := "/account/"+s.account.String(), 0
	list := append(s.pages(), s.record, "/fees?period=2025-02&compare=before", "/fees?period=2025-02&by=contract&compare=before", "/fees?by=layer&columns=all&price=EUR", "/transactions?period=2025-01-01..2025-01-03",
		account+"/statement?period=2025-01-01..2025-01-07&columns=all", account+"/statement?period=2025-01&part=fees&columns=all&price=EUR", account+"/statement?period=2025-01&part=transfers", account+"/statement?period=2025-01&part=summary")
	tab := b.Tab(t, s.url, browsertest.Options{})
	for _, path := range list {
		tab.Open(path)
		tables += browsertest.Ask[int](tab, `document.querySelectorAll("main .box:not(.scroll) td.figure").length`)
		for _, width := range []int64{1920, 1440, 1439, 1024, 1023, 721, 720, 390, 360} {
			tab.Resize(browsertest.Size{Width: width, Height: 900})
			require.Empty(t, tab.Outside(), path)
			require.Empty(t, tab.Overhang(), path)
			require.Empty(t, browsertest.Ask[[]string](tab, `[...document.querySelectorAll(".bars text")].filter((label) => {
				const [at, figure] = [label, label.closest("figure")].map((e) => e.getBoundingClientRect());
				return label.checkVisibility() && (at.left < figure.left || at.right > figure.right || label.textContent === "not known");
			}).map((label) => label.textContent)`), "%s: labels of a chart that are cut off, or say nothing, at %d px", path, width)
			if width == 1440 || width == 1024 || width == 390 {
				browsertest.Ask[bool](tab, `document.querySelector("main .box")?.scrollIntoView({behavior: "instant"}), true`)
				picture(t, tab, fmt.Sprintf("%s %d", path, width))
			}
		}
	}
	require.Greater(t, tables, 500, "the pages have figures")
}

// The digits of an amount are grouped by margins: what is copied is the exact amount, even where it is shown cut.
func copied(t *testing.T, b *browsertest.Browser, s *viewed) {
	tab := b.Tab(t, s.url, browsertest.Options{})
	for _, path := range []string{"/fees?period=2025-01", "/fees?by=layer&columns=all", "/tx/" + s.place} {
		tab.Open(path)
		for _, width := range []int64{1440, 1024, 390} {
			tab.Resize(browsertest.Size{Width: width, Height: 900})
			wrong := browsertest.Ask[[]string](tab, `(() => {
				const wrong = [], point = (wei) => (wei.startsWith("-") ? "-" : "") + wei.replace("-", "").padStart(19, "0").replace(/(\d{18})$/, ".$1");
				for (const e of document.querySelectorAll("main td data")) {
					getSelection().selectAllChildren(e);
					const text = getSelection().toString().trim().replace("\u2212", "-"); // as the page copies it
					if (text !== (e.value === "0" ? "0" : point(e.value))) wrong.push(text + " is copied, and not " + e.value);
				}
				return wrong.slice(0, 5);
			})()`)
			require.Empty(t, wrong, path)
		}
	}
}
