package keys

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// Secret is a secret from a file or from user input.
type Secret struct{ Bytes []byte }

// Guard prevents core files of this program. Call it before asking for a secret.
func Guard() error {
	if err := noCoreFile(); err != nil {
		return fmt.Errorf("core files of this program, which could contain a key, cannot be disabled: %w", err)
	}
	return nil
}

// maxSecret is more than the size of a phrase or a keystore file.
const maxSecret = 64 << 10

// ReadSecret reads a file that contains a secret. It rejects a file that others can read or change. If the
// file does not exist, the error does not name it: the argument may be the secret itself.
//
// From then on the system writes no core file of this program.
func ReadSecret(path string) (*Secret, error) {
	if err := Guard(); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	var notOpened *fs.PathError
	if errors.As(err, &notOpened) {
		return nil, fmt.Errorf("%w: want a file that contains the secret, not the secret itself", notOpened.Err)
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
		return nil, fmt.Errorf("%s is a directory", path)
	case runtime.GOOS != "windows" && mode.IsRegular() && mode&0o077 != 0:
		return nil, fmt.Errorf("%s: its mode is %04o: others can read or change it: chmod 600 %[1]s", path, mode.Perm())
	}
	return readSecret(file, path)
}

func readSecret(from io.Reader, path string) (*Secret, error) {
	bytes := make([]byte, maxSecret+1) // a single allocation: growing would leave copies behind
	n, err := io.ReadFull(from, bytes)
	s := &Secret{bytes[:n]}
	switch {
	case err == nil:
		s.Wipe()
		return nil, fmt.Errorf("%s: it is larger than %d bytes", path, maxSecret)
	case err != io.EOF && err != io.ErrUnexpectedEOF:
		s.Wipe()
		return nil, err
	}
	return s, nil
}

// Wipe overwrites the secret.
func (s *Secret) Wipe() { clear(s.Bytes) }

// Line returns the secret without its line end.
func (s *Secret) Line() []byte {
	line := s.Bytes
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line
}

// String reveals nothing of the secret.
func (s *Secret) String() string { return "a secret" }

// Format reveals nothing of the secret, whatever the verb.
func (s *Secret) Format(to fmt.State, _ rune) { fmt.Fprint(to, s.String()) }
