package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/program"
)

// hostile is a hostile name of a call, wherever it is shown.
const hostile = `x"><script>document.title='owned'</script><img src=https://evil.example/a.png onerror=alert(1)>` + "\u202e\x1b[31m"

// hostilePage is a report with hostile external names.
func hostilePage(t testing.TB) string {
	r := &Report{
		Request: Request{Choice: Choice{By: Call}, Network: "moonbeam", Token: console.Token{Symbol: "GLMR<b>"}, Name: "blocks 1..2", Zone: time.UTC, Period: ledger.Period{Heights: chain.Some(chain.Heights{First: 1, Last: 2})}, Cover: ledger.Cover{Lacks: []string{"blocks 2..2 " + hostile}}, Partial: []string{"Known part: " + hostile}},
		Rules:   []string{hostile}, Notes: []string{"Known part: " + hostile, "finding: " + hostile},
	}
	for i := range 30 {
		call := hostile + strings.Repeat("y", i)
		r.Groups = append(r.Groups, &Group{Key: Key{Layer: chain.Some("native"), Call: chain.Some(call)}, Figures: Figures{Native: 1, Fee: chain.NewWei(uint64(1e18) * uint64(i+1))}})
	}
	var out bytes.Buffer
	require.NoError(t, r.Document().HTML(&out))
	return out.String()
}

// reference matches anything that makes a browser load a resource.
var reference = regexp.MustCompile(`(?i)(<[^>]*\s(src|href|srcset|action|xlink:href|style|on[a-z]+)\s*=)|url\([^#]|@import|<(script|link|iframe|object|embed|img|base)\b|https?:[^&]*>`)

// The page refers to nothing outside itself, and external text stays text.
func TestPageIsSelfContained(t *testing.T) {
	page := hostilePage(t)
	require.Empty(t, reference.FindAllString(page, -1))
	require.Contains(t, page, "default-src &#39;none&#39;")
	require.Contains(t, page, "&lt;script&gt;document.title=")
	require.NotContains(t, page, "\u202e")
	require.NotContains(t, page, "\x1b")
	require.Contains(t, page, "<svg ")
}

// A browser shows the page as intended, without scripts, requests or errors.
func TestPageInABrowser(t *testing.T) {
	chromium := program.Path(t, program.Browser, "chromium")
	path := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(path, []byte(hostilePage(t)), 0o644))
	ask := func(arguments ...string) (stdout, stderr string) {
		command := exec.CommandContext(t.Context(), chromium, append([]string{
			"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
			"--no-first-run", "--disable-background-networking", "--disable-component-update", "--user-data-dir=" + t.TempDir(),
		}, append(arguments, "file://"+path)...)...)
		var out, errors bytes.Buffer
		command.Stdout, command.Stderr = &out, &errors
		require.NoError(t, command.Run(), errors.String())
		return out.String(), errors.String()
	}
	dom, log := ask("--dump-dom")
	require.NotContains(t, log, "CONSOLE") // policy violations are logged there
	require.Contains(t, dom, "<title>Fees of moonbeam by call, blocks 1..2</title>")
	require.NotContains(t, dom, "<script")
	require.NotContains(t, dom, "<img")
	require.Equal(t, 30, strings.Count(dom[strings.Index(dom, "<tbody>"):strings.Index(dom, "</tbody>")], "<tr>"))

	for name, arguments := range map[string][]string{
		"wide": {"--window-size=1280,1400"}, "narrow": {"--window-size=390,1400"},
		"dark": {"--window-size=1280,1400", "--blink-settings=preferredColorScheme=0"},
	} {
		picture := filepath.Join(t.TempDir(), name+".png")
		_, log := ask(append(arguments, "--screenshot="+picture)...)
		require.NotContains(t, log, "CONSOLE")
		shot, err := os.ReadFile(picture)
		require.NoError(t, err)
		paper := map[bool][3]uint8{false: {0xff, 0xff, 0xff}, true: {0x14, 0x17, 0x1b}}[name == "dark"]
		require.Equal(t, paper, corner(t, shot), name)
	}
}
