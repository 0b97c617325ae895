package cli

import "errors"

// ErrFinding says that a result was shown in which something does not hold. The
// result itself says what.
var ErrFinding = errors.New("something does not hold")

// ErrStopped says that a command of another one was stopped, which has said so.
var ErrStopped = errors.New("stopped")
