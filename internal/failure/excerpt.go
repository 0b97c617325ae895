package failure

import "strings"

// Excerpt shortens external text for quoting in a message.
func Excerpt(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
