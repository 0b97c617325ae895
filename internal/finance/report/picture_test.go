package report

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"
)

// corner returns the color of a picture's first pixel.
func corner(t testing.TB, picture []byte) [3]uint8 {
	decoded, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	r, g, b, _ := decoded.At(0, 0).RGBA()
	return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
}
