package httpclient

import (
	"math/rand/v2"
	"time"
)

// Jitter returns a random duration from 0 to limit, by which a pause is shortened. It is a variable only for the
// simulation (internal/simulation), where a seed determines everything.
var Jitter = func(limit time.Duration) time.Duration { return rand.N(limit + 1) }
