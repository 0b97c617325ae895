package sidecar

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// RefusalError is a gateway's error response. A [DecodeError] wraps it if it was found where a response was
// expected, as in a directory of recorded responses.
type RefusalError struct {
	Status  int    // 0 if the response does not contain it
	Message string // the gateway's message, truncated
}

// Error quotes the gateway.
func (e *RefusalError) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("the gateway refused: %q", e.Message)
	}
	return fmt.Sprintf("the gateway refused with status %d: %q", e.Status, e.Message)
}

// Refusal returns the error that a response contains, or nil.
func Refusal(text string) *RefusalError {
	if !strings.HasPrefix(strings.TrimSpace(text), `{`) {
		return nil
	}
	answer, err := jsonscan.Parse(text)
	if err != nil || answer.Member("number").Kind() != jsonscan.Absent || answer.Member("at").Kind() != jsonscan.Absent {
		return nil
	}
	if said, ok := answer.Member("error").Text(); ok { // from the successor
		return &RefusalError{Message: jsonscan.Excerpt(said)}
	}
	said, ok := answer.Member("message").Text()
	status, err := jsonread.Uint64(answer.Member("code"))
	if !ok || err != nil || status < 400 || status > 599 {
		return nil
	}
	return &RefusalError{int(status), jsonscan.Excerpt(said)}
}

// CannotDecode reports whether a gateway's message means that it cannot decode the chain's data: it lacks the
// types of the chain, or of one of its transaction extensions, or does not support general extrinsics.
func CannotDecode(message string) bool {
	return strings.Contains(message, "createType(") || strings.Contains(message, "Unable to find Call") || strings.Contains(message, "GeneralExtrinsic")
}
