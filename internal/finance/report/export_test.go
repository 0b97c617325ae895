package report

import "testing"

// LimitGroups lets reports have fewer groups until the test ends.
func LimitGroups(t testing.TB, most int) {
	whole := mostGroups
	mostGroups = most
	t.Cleanup(func() { mostGroups = whole })
}
