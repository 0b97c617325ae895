package dataset

// Before sets a function to call before each change that others can see, until the test ends.
func Before(ask func(what string) error) (end func()) {
	step = ask
	return func() { step = func(string) error { return nil } }
}
