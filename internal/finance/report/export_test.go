package report

import "testing"

// LimitGroups lowers the maximum number of groups until the test ends.
func LimitGroups(t testing.TB, most int) {
	whole := maxGroups
	maxGroups = most
	t.Cleanup(func() { maxGroups = whole })
}

// LimitSlots lowers the maximum number of hours, days or months until the test ends.
func LimitSlots(t testing.TB, most int) {
	whole := maxSlots
	maxSlots = most
	t.Cleanup(func() { maxSlots = whole })
}
