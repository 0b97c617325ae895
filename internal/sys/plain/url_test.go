package plain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/plain"
)

func TestURL(t *testing.T) {
	for address, want := range map[string]string{
		"":                                  "",
		"#main":                             "#main",
		"overview?period=2026-01":           "overview?period=2026-01",
		"fees?a=1&b=c+d&e=%3Cb%3E#main":     "fees?a=1&b=c+d&e=%3Cb%3E#main",
		"/account/0xab:cd":                  "/account/0xab:cd",
		"javascript:alert(1)":               "#refused",
		"JaVaScript:alert(1)":               "#refused",
		" javascript:alert(1)":              "#refused",
		"java\nscript:alert(1)":             "#refused",
		"\x01javascript:alert(1)":           "#refused",
		"data:text/html,<script>":           "#refused",
		"vbscript:x":                        "#refused",
		":":                                 "#refused",
		"https://evil.example/":             "#refused", // our pages lead to no other site
		"mailto:a@example.org":              "#refused",
		"//evil.example/":                   "#refused",
		"///evil.example/":                  "#refused",
		`/\evil.example/`:                   "/%5cevil.example/",
		`\\evil.example/`:                   "%5c%5cevil.example/",
		"/\t/evil.example/":                 "/%09/evil.example/", // browsers remove tabs
		"\n//evil.example/":                 "%0a//evil.example/",
		"javascript&colon;alert(1)":         "javascript&colon;alert%281%29", // & is escaped in the page
		"javascript%3Aalert(1)":             "javascript%3Aalert%281%29",
		"fees?q=\"><script>'&x=`":           "fees?q=%22%3e%3cscript%3e%27&x=%60",
		"a b\x00\x1f\x7f":                   "a%20b%00%1f%7f",
		"é\xff\u202e":                       "%c3%a9%ff%e2%80%ae",
		"100%":                              "100%25",
		"%4":                                "%254",
		"%zz%41":                            "%25zz%41",
		"reconcile/{{.}}/result.csv?x=$y|z": "reconcile/%7b%7b.%7d%7d/result.csv?x=$y%7cz",
	} {
		require.Equal(t, want, plain.URL(address), "%q", address)
	}
}
