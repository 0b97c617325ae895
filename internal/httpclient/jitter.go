package httpclient

import (
	"math/rand/v2"
	"time"
)

// Jitter is by how much a pause is shorter than it could be, from 0 to most: by chance. It is a
// variable for the simulation alone (internal/simulation), where a seed decides all of a history.
var Jitter = func(most time.Duration) time.Duration { return rand.N(most + 1) }
