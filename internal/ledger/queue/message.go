package queue

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// maxMessage limits a stored error, in bytes.
const maxMessage = 500

var (
	// Any part of an address except the host may be a key.
	addresses = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)(?:[^/?#\s"']*@)?([^/?#\s"']*)(?:[/?#][^\s"']*)?`)
	named     = regexp.MustCompile(`(?i)((?:password|passwd|secret|token|api[-_]?key)["']?\s*[=:]\s*)(?:"[^"]*"|'[^']*'|\S+)`)
	headers   = regexp.MustCompile(`(?i)\b(bearer|basic)\s+\S+`)
)

// message returns the form of an error that others may see: without secrets, on one line, short, and valid
// for PostgreSQL.
func message(err error, secrets []string) string {
	text := err.Error()
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	text = addresses.ReplaceAllString(text, "$1$2")
	text = named.ReplaceAllString(text, "$1***")
	text = headers.ReplaceAllString(text, "$1 ***")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return text
}

// recovered turns a panic into an error; a crash would print its text with any secrets.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v", p)
	}
}
