package queue

import "time"

// SealRest seals like a worker that has finished, with a limit for waiting for others.
var SealRest = sealRest

// IsAway reports whether a worker ends after attempts, each a pause after the one before, that fail with the errors.
func IsAway(pause time.Duration, errs ...error) (ends bool) {
	a, now := absence{}, time.Now()
	for _, err := range errs {
		now = now.Add(pause)
		ends = a.lasts(now, err)
	}
	return ends
}
