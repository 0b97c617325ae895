package jsonscan

// Err is the first error that was met, a *[SyntaxError], or nil.
func (s *Scanner) Err() error { return s.err }
