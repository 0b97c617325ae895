package queue

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestMessagesHoldNoSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"block 25: no such block":                             "block 25: no such block",
		"Get \"https://gw.example/blocks/25\": timeout":       "Get \"https://gw.example\": timeout",
		"wss://user:p@ss@node.example:9944/key?apikey=k: EOF": "wss://node.example:9944 EOF",
		"postgres://fees:sesame@10.0.0.1/fees is away":        "postgres://10.0.0.1 is away",
		"host=db password=sesame user=fees":                   "host=db password=*** user=fees",
		`{"api_key": "open sesame", "at": 25}`:                `{"api_key": ***, "at": 25}`,
		"Authorization: Bearer abc.def was refused":           "Authorization: Bearer *** was refused",
		"the key zebra is not known":                          "the key *** is not known",
		"two\nlines\x00 and \xff":                             "two lines  and �",
	} {
		require.Equal(t, want, message(errors.New(text), []string{"", "zebra"}))
	}
}

func TestMessagesAreShort(t *testing.T) {
	long := message(errors.New(strings.Repeat("é", 10_000)), nil)
	require.True(t, utf8.ValidString(long))
	require.Equal(t, strings.Repeat("é", 250)+"…", long)
}

func TestPause(t *testing.T) {
	for attempt, want := range map[int]time.Duration{1: 1, 2: 2, 3: 4, 4: 8, 5: 16, 6: 32, 7: 60, 8: 60, 10080: 60} {
		require.Equal(t, want*time.Second, pause(attempt), attempt)
	}
}
