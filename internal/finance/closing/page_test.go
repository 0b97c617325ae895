package closing_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/closing"
)

// The page is small, loads nothing, and its content security policy allows exactly its own scripts and style.
func TestPage(t *testing.T) {
	require.LessOrEqual(t, len(closing.Page), 60<<10)
	var own []string
	for _, pattern := range []string{`(?s)<style>(.*?)</style>`, `(?s)<script id="check">(.*?)</script>`, `(?s)<script id="show">(.*?)</script>`} {
		parts := regexp.MustCompile(pattern).FindAllSubmatch(closing.Page, -1)
		require.Len(t, parts, 1, pattern)
		sum := sha256.Sum256(parts[0][1])
		own = append(own, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	want := `content="default-src 'none'; script-src ` + own[1] + " " + own[2] + "; style-src " + own[0] + `; base-uri 'none'; form-action 'none'"`
	require.Contains(t, string(closing.Page), want)
	require.NotRegexp(t, `(?i)(innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|fetch\(|XMLHttpRequest|WebSocket|import\(|https?://|src=|href=| on[a-z]+=)`, string(closing.Page))
	require.Equal(t, 2, bytes.Count(closing.Page, []byte("<script")))
}
