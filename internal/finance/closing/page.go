package closing

import _ "embed"

// PageFile is the page that checks a package in a browser, in the package itself.
const PageFile = "check.html"

// Page is the text of [PageFile]. It shares no code with this program: a second implementation that follows
// docs/evidence.md.
//
//go:embed check.html
var Page []byte
