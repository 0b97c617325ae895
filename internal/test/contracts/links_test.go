package contracts

import (
	"go/parser"
	"go/token"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLinks requires every name in brackets in a comment, a link within the package, to be exported.
func TestLinks(t *testing.T) {
	name := regexp.MustCompile(`^(?:const|var|type|func) (?:\(\*?(\w+)(?:\[\w+\])?\) )?(\w+)|^(\w+)\.\*?(\w+)`)
	link := regexp.MustCompile(`\[\*?([A-Z]\w*(?:\.\w+)?)\]`)
	links := 0
	for _, path := range append(public(t), "internal/app/market") {
		there := map[string]bool{}
		for _, line := range exports(t, path) {
			n := name.FindStringSubmatch(line[len(path)+len(": "):])
			require.NotNil(t, n, line)
			of, member := n[1]+n[3], n[2]+n[4]
			if of != "" {
				member = of + "." + member
			}
			there[member] = true
		}
		for _, file := range sources(t, path) {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			require.NoError(t, err)
			for _, comment := range f.Comments {
				for _, l := range link.FindAllStringSubmatch(comment.Text(), -1) {
					require.True(t, there[l[1]], "%s: package %s exports no %s", file, path, l[1])
					links++
				}
			}
		}
	}
	require.Greater(t, links, 100)
}
