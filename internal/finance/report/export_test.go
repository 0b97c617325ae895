package report

import "testing"

// LimitGroups lowers the maximum number of groups until the test ends.
func LimitGroups(t testing.TB, most int) {
	whole := maxGroups
	maxGroups = most
	t.Cleanup(func() { maxGroups = whole })
}
