package browsertest

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"strings"
)

//go:embed axe/axe.min.js
var axe string

// sumOfAxe is the SHA-256 of the reviewed file.
const sumOfAxe = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"

// Barriers returns the accessibility violations of the page, by the rules of axe-core: each with the rule and
// the element. Small targets are included.
func (b *Tab) Barriers() []string {
	b.t.Helper()
	return b.axe(`rules: {"target-size": {enabled: true}}`)
}

// Pale returns elements with too little contrast: the rules that depend on colours.
func (b *Tab) Pale() []string {
	b.t.Helper()
	return b.axe(`runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]}`)
}

func (b *Tab) axe(options string) []string {
	b.t.Helper()
	if !Ask[bool](b, `typeof axe === "object"`) {
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(axe))); sum != sumOfAxe {
			b.t.Fatalf("axe.min.js is not the file that was taken over: its sum is %s", sum)
		}
		Ask[bool](b, strings.TrimSpace(axe)+`; typeof axe === "object"`)
	}
	return Ask[[]string](b, `axe.run(document, {resultTypes: ["violations"], `+options+`}).then((r) => r.violations.flatMap(
		(v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)))`)
}
