package web_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/web"
)

// A browser shows the pages as they are meant: their policy refuses nothing of them, nothing is
// missing, and what it shows is what was sent.
func TestPagesInABrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("FEES_REQUIRE_BROWSER") != "" {
			t.Fatal("FEES_REQUIRE_BROWSER is set, and there is no chromium")
		}
		t.Skip("SKIPPED: there is no chromium: the pages were not tried in a browser (Debian's package chromium)")
	}
	s := served(t, filled(t, "0..27"), func(o *web.Options) {
		o.Ledgers[0].Labels = book(t, "address,label\n"+alith+",<script>document.title='owned'</script>\n")
		o.Ledgers[0].Packages = t.TempDir()
	})
	ask := func(path string, arguments ...string) (dom, log string) {
		command := exec.CommandContext(t.Context(), chromium, append([]string{
			"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
			"--no-first-run", "--disable-background-networking", "--disable-component-update", "--user-data-dir=" + t.TempDir(), "--dump-dom",
		}, append(arguments, s.URL+path)...)...)
		var out, errors bytes.Buffer
		command.Stdout, command.Stderr = &out, &errors
		require.NoError(t, command.Run(), errors.String())
		return out.String(), errors.String()
	}
	record := sent(t, s, "<script>.csv", []byte("id,fee_wei,<script>document.title='owned'</script>\n25-7,5215236000000000,<img src=x onerror=alert(1)>\n"), nil)
	rows := regexp.MustCompile(`(?s)<tbody>.*?</tbody>`)
	for path, arguments := range map[string][]string{
		"/cockpit": nil, "/fees?period=3..27&by=account": {"--window-size=390,1400"}, "/tx/25-7": {"--blink-settings=preferredColorScheme=0"}, "/account/" + alith: nil, "/fees?period=2026-02": nil, "/reconcile?period=3..27": {"--window-size=360,1400"}, record: {"--window-size=360,1400"}, "/packages": nil,
	} {
		dom, log := ask(path, arguments...)
		require.NotContains(t, log, "CONSOLE", path) // what the policy refuses is told there
		require.NotContains(t, dom, "<title>owned", path)
		require.NotContains(t, foreign(dom), "<script", path)
		sent := get(t, s, path, nil).text
		require.Equal(t, strings.Count(rows.FindString(sent), "<tr>"), strings.Count(rows.FindString(dom), "<tr>"), path)
	}
}
