package ledger

import "fmt"

// DamageError reports that requested data is not what was written; [Book.Verify] lists all damage.
// It is an [ErrDamaged].
type DamageError struct{ What string }

func (e *DamageError) Error() string { return ErrDamaged.Error() + ": " + e.What }

// Unwrap returns ErrDamaged.
func (e *DamageError) Unwrap() error { return ErrDamaged }

func damaged(format string, args ...any) error { return &DamageError{fmt.Sprintf(format, args...)} }
