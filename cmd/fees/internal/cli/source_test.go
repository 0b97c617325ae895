package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A ledger remembers a source as it was named, but of a URL only the host: a path, a query or a user may be a secret.
func TestRemembered(t *testing.T) {
	for place, want := range map[string]string{
		"demo":                         "demo",
		"./gateway":                    "./gateway",
		"./gateway/":                   "./gateway/",
		"http://127.0.0.1:8080":        "http://127.0.0.1:8080",
		"http://127.0.0.1:8080/":       "http://127.0.0.1:8080",
		"https://host.example/key":     "https://host.example/…",
		"https://host.example?key=abc": "https://host.example/…",
		"https://me:word@host.example": "https://host.example/…",
	} {
		require.Equal(t, want, remembered(place), place)
	}
}
