package cli

import "errors"

// ErrFinding says that a result was shown in which something does not hold. The
// result itself says what.
var ErrFinding = errors.New("something does not hold")
