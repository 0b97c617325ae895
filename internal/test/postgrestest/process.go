package postgrestest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/test/port"
)

// run starts the server and waits until it answers.
func (s *Server) run() error {
	deadline := time.Now().Add(patience)
	for {
		err := s.findPort()
		if err == nil {
			err = s.runOnce(deadline)
		}
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(100 * time.Millisecond) // the port was taken meanwhile, or the shared memory of the dead server is still in use
	}
}

// findPort finds a free port, unless the port is already known to clients.
func (s *Server) findPort() (err error) {
	if !s.known {
		s.port, err = port.Free()
	}
	return err
}

func (s *Server) runOnce(deadline time.Time) error {
	arguments := []string{"-D", s.data(), "-k", s.directory, "-p", strconv.Itoa(s.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_permissions=0700"}
	for _, setting := range s.settings {
		arguments = append(arguments, "-c", setting)
	}
	logs, err := os.Create(filepath.Join(s.directory, "log"))
	if err != nil {
		return err
	}
	defer logs.Close()
	cmd := s.programs.command("postgres", arguments...)
	cmd.Stdout, cmd.Stderr = logs, logs
	if err := cmd.Start(); err != nil {
		return err
	}
	s.guard.of(cmd.Process.Pid)
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		s.guard.of(0) // before the process ID can be reused
		close(ended)
	}()
	s.mu.Lock()
	s.process, s.ended = cmd.Process, ended
	s.mu.Unlock()
	for {
		err := s.command("SELECT 1")
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("postgres is not responding: %w", err)
		}
		select {
		case <-ended:
			s.mu.Lock()
			s.process = nil
			s.mu.Unlock()
			text, _ := os.ReadFile(filepath.Join(s.directory, "log"))
			return fmt.Errorf("postgres ended: %s", text)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *Server) running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process != nil
}

// Kill ends the server and all its processes with SIGKILL, as a crash would. It returns when they are gone.
func (s *Server) Kill() {
	s.mu.Lock()
	process, ended := s.process, s.ended
	s.process = nil
	s.mu.Unlock()
	if process == nil {
		return
	}
	s.killed = true
	children := childrenOf(process.Pid)
	process.Kill()
	<-ended
	for _, child := range children {
		if p, err := os.FindProcess(child); err == nil {
			p.Kill()
		}
	}
	for _, child := range children {
		for alive(child) {
			time.Sleep(time.Millisecond)
		}
	}
}

// Restart starts the server after Kill, on the same port and with its data. It panics if the server does not start.
func (s *Server) Restart() {
	if s.running() {
		panic("postgrestest: the server is running")
	}
	if err := s.run(); err != nil {
		panic(err)
	}
}

// stop ends the server and removes its directory.
func (s *Server) stop() {
	if s.killed {
		s.run() // only the next server removes leftover shared memory
	}
	s.guard.release()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil {
		<-s.ended
		s.process = nil
	}
}

// childrenOf finds a process's children through /proc. Elsewhere it finds none: PostgreSQL's processes end by themselves
// when their parent is gone.
func childrenOf(parent int) []int {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	var children []int
	for _, path := range paths {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if _, its := status(pid); its == parent {
			children = append(children, pid)
		}
	}
	return children
}

func alive(pid int) bool {
	state, parent := status(pid)
	return parent != 0 && state != "Z"
}

// status returns a process's state and its parent; 0 if there is no such process.
func status(pid int) (state string, parent int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	// The name before is in brackets and may contain any character.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}

// guard is a process that outlives ours briefly: it ends the server and removes its directory when its input closes
// or we die.
type guard struct {
	cmd   *exec.Cmd
	input *os.File
}

// Each line of its input is the ID of the server's process, or 0 if there is none.
const guardScript = `
server=0
while read -r line; do server=$line; done
if [ "$server" != 0 ]; then
	kill -QUIT "$server"
	for try in $(seq 600); do kill -0 "$server" || break; sleep 0.1; done
fi
rm -rf "$1"
`

func newGuard(directory string) (*guard, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	cmd := exec.Command("sh", "-c", guardScript, "guard", directory)
	cmd.Stdin = read
	apart(cmd)
	if err := cmd.Start(); err != nil {
		write.Close()
		return nil, err
	}
	return &guard{cmd, write}, nil
}

func (g *guard) of(pid int) { fmt.Fprintln(g.input, pid) }

func (g *guard) release() {
	g.input.Close()
	if err := g.cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		panic(err)
	}
}
