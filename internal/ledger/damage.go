package ledger

import "fmt"

// DamageError says that something that was asked for is not what was written: [Book.Verify] names
// all that is. It is [ErrDamaged].
type DamageError struct{ What string }

func (e *DamageError) Error() string { return ErrDamaged.Error() + ": " + e.What }

// Unwrap is ErrDamaged.
func (e *DamageError) Unwrap() error { return ErrDamaged }

func damaged(format string, args ...any) error { return &DamageError{fmt.Sprintf(format, args...)} }
