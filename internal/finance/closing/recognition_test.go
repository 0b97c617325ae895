package closing

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// An unreadable manifest is a damaged one of ours, or one of something else, which shares few keys with ours.
func TestManifestsOfOthers(t *testing.T) {
	cause := errors.New("why")
	for text, want := range map[string]error{
		`{"name":"app","version":"1","icons":[]}`: ErrNone,
		`{"format":1,"tool":"fees","gateway_version":"1","first":0,"last":9,"first_hash":"","last_hash":"","accounts":[],"pieces":[],"segments":[],"sha256":""}`: ErrNone, // of an archive
		`{"format":1,"version":1,"network":"moonbeam","new":1}`: ErrDamaged,
		`{"format":1,`: ErrDamaged,
		`{}`:           ErrDamaged,
	} {
		require.ErrorIs(t, manifestError([]byte(text), "january", cause), want, text)
	}
}
