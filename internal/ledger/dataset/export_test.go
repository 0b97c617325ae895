package dataset

// Before is asked before each change of what others read, until the test ends it.
func Before(ask func(what string) error) (end func()) {
	step = ask
	return func() { step = func(string) error { return nil } }
}
