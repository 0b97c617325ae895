package queue

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// mostMessage bounds what is stored of an error, in bytes.
const mostMessage = 500

var (
	// Any part of an address but the host may be a key.
	addresses = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)(?:[^/?#\s"']*@)?([^/?#\s"']*)(?:[/?#][^\s"']*)?`)
	named     = regexp.MustCompile(`(?i)((?:password|passwd|secret|token|api[-_]?key)["']?\s*[=:]\s*)(?:"[^"]*"|'[^']*'|\S+)`)
	headers   = regexp.MustCompile(`(?i)\b(bearer|basic)\s+\S+`)
)

// message is what of an error is stored where others see it: without secrets, on one
// line, short, and such that PostgreSQL takes it.
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
	if len(text) > mostMessage {
		text = strings.ToValidUTF8(text[:mostMessage], "") + "…"
	}
	return text
}

// recovered makes an error of a panic, which would store its text as it is.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v", p)
	}
}
