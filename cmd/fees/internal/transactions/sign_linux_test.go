package transactions

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal and returns its two sides.
func terminal(t *testing.T) (person, program *os.File) {
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("NOT TESTED: no terminals available:", err)
	}
	t.Cleanup(func() { person.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { program.Close() })
	return person, program
}

// Only a yes on a terminal signs.
func TestConfirm(t *testing.T) {
	for answer, want := range map[string]string{"yes\n": "", " yes \n": "", "y\n": "nothing was signed", "\n": "nothing was signed", "no\n": "nothing was signed", "\x04": "nothing was signed"} {
		person, program := terminal(t)
		_, err := person.WriteString(answer)
		require.NoError(t, err)
		var asked bytes.Buffer
		err = confirm(t.Context(), program, &asked)
		require.Contains(t, asked.String(), "Type yes")
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
	require.ErrorContains(t, confirm(t.Context(), strings.NewReader("yes\n"), &bytes.Buffer{}), "pass --yes")
}
