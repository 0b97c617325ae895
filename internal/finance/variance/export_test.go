package variance

// LimitCalls sets the maximum number of calls, and returns what restores it.
func LimitCalls(most int) (restore func()) {
	was := maxCalls
	maxCalls = most
	return func() { maxCalls = was }
}
