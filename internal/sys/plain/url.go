package plain

import (
	"fmt"
	"net/url"
	"strings"
)

// refusedURL replaces the address of another site.
const refusedURL = "#refused"

// inURL are the characters that an address may contain besides letters and digits.
const inURL = "!#$&*+,/:;=?@[]-._~"

func isPlain(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune(inURL, c)
}

// URL returns the address of a link within our own pages. Other characters are percent-encoded; escapes stay. An address
// with a scheme, such as javascript:, or with a host is refused.
func URL(address string) string {
	first, _, _ := strings.Cut(address, "/")
	if strings.Contains(first, ":") || strings.HasPrefix(address, "//") {
		return refusedURL
	}
	if !strings.ContainsFunc(address, func(c rune) bool { return c == '%' || !isPlain(c) }) {
		return address
	}
	var out strings.Builder
	for i := range len(address) {
		c := address[i]
		safe := isPlain(rune(c))
		if c == '%' {
			_, err := url.PathUnescape(address[i:min(i+3, len(address))])
			safe = err == nil
		}
		if safe {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02x", c)
		}
	}
	return out.String()
}
