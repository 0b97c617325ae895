package keys

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// Secret is what a file or a person has told.
type Secret struct{ Bytes []byte }

// Guard has the system write no core file of this program. Who asks for a secret calls it before.
func Guard() error {
	if err := noCoreFile(); err != nil {
		return fmt.Errorf("a core file of this program cannot be forbidden, and a key might be in it: %w", err)
	}
	return nil
}

// mostSecret is more than a phrase or a keystore file has.
const mostSecret = 64 << 10

// ReadSecret reads a file that has a secret. It refuses one that others can read or change. Where
// there is no such file, the error does not name it: somebody may have given the secret itself.
//
// From then on the system writes no core file of this program.
func ReadSecret(path string) (*Secret, error) {
	if err := Guard(); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	var notOpened *fs.PathError
	if errors.As(err, &notOpened) {
		return nil, fmt.Errorf("%w: want a file that has the secret, and not the secret", notOpened.Err)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	mode := info.Mode()
	switch {
	case mode.IsDir():
		return nil, fmt.Errorf("%s: it is a directory", path)
	case runtime.GOOS != "windows" && mode.IsRegular() && mode&0o077 != 0:
		return nil, fmt.Errorf("%s: its mode is %04o: others can read or change it: chmod 600 %[1]s", path, mode.Perm())
	}
	return readSecret(file, path)
}

func readSecret(from io.Reader, path string) (*Secret, error) {
	bytes := make([]byte, mostSecret+1) // of one piece: growing would leave copies behind
	n, err := io.ReadFull(from, bytes)
	s := &Secret{bytes[:n]}
	switch {
	case err == nil:
		s.Wipe()
		return nil, fmt.Errorf("%s: it is larger than %d bytes", path, mostSecret)
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		s.Wipe()
		return nil, err
	}
	return s, nil
}

// Wipe overwrites it.
func (s *Secret) Wipe() { clear(s.Bytes) }

// Line is the secret without the end of its line.
func (s *Secret) Line() []byte {
	line := s.Bytes
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line
}

// String has nothing of it.
func (s *Secret) String() string { return "a secret" }

// Format prints nothing of it, whatever the verb.
func (s *Secret) Format(to fmt.State, _ rune) { fmt.Fprint(to, s.String()) }
