package grandpa

// Verifier returns Verify with a cache of checked signatures, for tests of many changes of one justification.
func Verifier() func(*Set, *Justification) (Tally, error) {
	type check struct {
		key                Key
		message, signature string
	}
	known := map[check]bool{}
	return func(s *Set, j *Justification) (Tally, error) {
		return s.verify(j, func(key Key, message, signature []byte) bool {
			c := check{key, string(message), string(signature)}
			good, has := known[c]
			if !has {
				good = verifySignature(key, message, signature)
				known[c] = good
			}
			return good
		})
	}
}
