package nodearchive

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFirst(t *testing.T) {
	made, directory := recorded(t, 50, RecordOptions{})
	for name, text := range tree(t, directory) {
		t.Log(name, len(text))
	}
	v, err := Verify(t.Context(), directory, anchorAt(made, 50), nil)
	require.NoError(t, err)
	t.Logf("%+v", v)
	_, err = Open(directory, anchorAt(made, 40))
	require.NoError(t, err)
}
