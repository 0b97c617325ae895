package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// program is a built fees.
type program struct {
	path    string
	profile string // the file for its CPU profile; "" for none
}

// measured is what a command took.
type measured struct {
	took, cpu    time.Duration
	read, memory int64 // bytes
}

// profiler is added to the profiled program. It runs a command in place of main.
const profiler = `package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/pprof"
)

func init() {
	f, err := os.Create(os.Getenv("FEES_CPU_PROFILE"))
	if err != nil {
		panic(err)
	}
	boundMemory(os.Args[1])
	if err := pprof.StartCPUProfile(f); err != nil {
		panic(err)
	}
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	pprof.StopCPUProfile()
	if err := f.Close(); err != nil {
		panic(err)
	}
	os.Exit(code)
}
`

// build builds the program, and the same with the profiler.
func build(directory string) (fees, profiled *program, err error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w", err)
	}
	added, overlay := filepath.Join(directory, "profiler.go"), filepath.Join(directory, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(strings.TrimSpace(string(root)), "cmd/fees/profiler.go"): added}})
	if err == nil {
		err = errors.Join(os.WriteFile(added, []byte(profiler), 0o600), os.WriteFile(overlay, replaced, 0o600))
	}
	if err != nil {
		return nil, nil, err
	}
	fees, profiled = &program{path: filepath.Join(directory, "fees")}, &program{path: filepath.Join(directory, "profiled")}
	for _, arguments := range [][]string{{"-o", fees.path}, {"-o", profiled.path, "-overlay", overlay}} {
		c := exec.Command("go", append(append([]string{"build"}, arguments...), "github.com/feeledger/fees/cmd/fees")...)
		c.Stderr = os.Stderr
		if err := c.Run(); err != nil {
			return nil, nil, fmt.Errorf("go build: %w", err)
		}
	}
	return fees, profiled, nil
}

// command returns a command of the program, without the user's settings.
func (p *program) command(arguments ...string) *exec.Cmd {
	c := exec.Command(p.path, arguments...)
	c.Env = append(os.Environ(), "FEES_GATEWAY=", "GATEWAY_NODE_URL=", "FEES_LEDGER=", "FEES_ACCOUNTS=", "GOGC=", "GOMEMLIMIT=", "FEES_CPU_PROFILE="+p.profile)
	return c
}

// exitFinding is the exit code of a command that found a failed check. Generated blocks have some.
const exitFinding = 1

// run runs a command and discards its output.
func (p *program) run(arguments ...string) (measured, error) {
	c := p.command(arguments...)
	var said bytes.Buffer
	c.Stderr = &said
	before, start := bytesRead(os.Getpid()), time.Now()
	err := c.Run()
	took := time.Since(start)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == exitFinding {
		err = nil
	}
	if err != nil {
		return measured{}, fmt.Errorf("fees %s: %w: %s", strings.Join(arguments, " "), err, said.String())
	}
	usage := c.ProcessState.SysUsage().(*syscall.Rusage)
	return measured{took, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), bytesRead(os.Getpid()) - before, int64(usage.Maxrss) << 10}, nil
}

// bytesRead returns the bytes that a process and its finished children have read; 0 if the system does not report it.
func bytesRead(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	for line := range strings.Lines(string(text)) {
		if number, ok := strings.CutPrefix(line, "rchar: "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			return n
		}
	}
	return 0
}

// cpuOf returns the CPU time of a running process; 0 if the system does not report it.
func cpuOf(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	const tick = 10 * time.Millisecond
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}
