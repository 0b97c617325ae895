package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
)

var update = flag.Bool("update", false, "rewrite the golden files and the expected output in the scripts")

func TestMain(m *testing.M) {
	os.Unsetenv("GOGC") // do not pass the setting of the test run to the programs started here
	testscript.Main(isolated{m}, map[string]func(){"fees": main})
}

// settings are the variables that change what fees does.
var settings = []string{"COLUMNS", "FEES_ACCOUNTS", "FEES_API_KEY", "FEES_GATEWAY", "FEES_KEY_PASSPHRASE", "FEES_LEDGER", "FEES_NODE", "GATEWAY_NODE_URL", "SSH_AUTH_SOCK"}

// isolated are the tests, run without the settings of the machine.
type isolated struct{ testscript.TestingM }

func (i isolated) Run() int {
	for _, name := range settings {
		os.Unsetenv(name)
	}
	return i.TestingM.Run()
}

// recordings returns the directory of the recorded blocks.
func recordings(t testing.TB) string {
	path, err := filepath.Abs("../../testdata/recordings")
	require.NoError(t, err)
	return path
}

// TestScripts runs the scripts in testdata/script, with recordings in $RECORDINGS, their gateway at $GATEWAY, a node
// at $NODE, SSH keys in $KEYS, a month of a hub in $HUB, and tables of networks in $TABLES.
func TestScripts(t *testing.T) {
	server := httptest.NewServer(gatewaytest.Handler(filepath.Join(recordings(t), "moonbeam-2100")))
	t.Cleanup(server.Close)
	node := httptest.NewServer(recordedNode(t))
	t.Cleanup(node.Close)
	keys := sshKeys(t) // shared: read-only, and slow to create
	variables := map[string]string{"GATEWAY": server.URL, "NODE": node.URL, "RECORDINGS": recordings(t), "KEYS": keys, "HUB": pairs.HubMonth(t), "TABLES": repository.Path("testdata", "networks")}
	params := testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "served": served, "holds": holds, "locked": locked, "advised": advised},
		Setup: func(env *testscript.Env) error {
			for name, value := range variables {
				env.Setenv(name, value)
			}
			return nil
		},
	}
	if !testing.Short() || *update {
		testscript.Run(t, params)
		return
	}
	params.WorkdirRoot = t.TempDir() // of the test's TMPDIR
	names := slices.Concat([]string{"HOME", "TMPDIR"}, settings, slices.Collect(maps.Keys(variables)))
	for _, name := range names {
		t.Setenv(name, "") // restored after the test
	}
	params.Dir = scriptsInside(t)
	params.Cmds["inside"] = insideCommand(names)
	t.Chdir(".")
	testscript.RunT(oneByOne{t}, params)
}

// exits is a script command: exits CODE PROGRAM ARGUMENTS runs a program that must end with the code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGUMENTS]")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		code = exit.ExitCode()
	}
	if want := args[0]; strconv.Itoa(code) != want {
		ts.Fatalf("%s ended with code %d, want %s", args[1], code, want)
	}
}

// advice matches a command line in a message, in quotes or after a colon.
var advice = regexp.MustCompile(`"(fees [^"\n]*)"|: (fees [^;\n]*)`)

// advised is a script command: advised CODE runs the command line that the last program suggested, in a shell. It
// must end with the code.
func advised(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: advised CODE")
	}
	found := advice.FindStringSubmatch(ts.ReadFile("stderr") + ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("the last program suggested no command line")
	}
	command := found[1] + found[2] // one of them is empty
	ts.Logf("advised: %s", command)
	exits(ts, neg, []string{args[0], "sh", "-c", command})
}

// locked is a script command: locked FILE CODE PROGRAM ARGUMENTS runs a program that must end with the code while
// another one writes the ledger.
func locked(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: locked FILE CODE PROGRAM [ARGUMENTS]")
	}
	book, err := ledger.OpenWriter(context.Background(), ts.MkAbs(args[0]))
	ts.Check(err)
	defer book.Close()
	exits(ts, neg, args[1:])
}

// served is a script command: served FILE waits until a server, whose standard error goes to FILE, prints its
// address, and sets $SERVED to it.
func served(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: served FILE")
	}
	for range 12_000 { // two minutes
		text, _ := os.ReadFile(ts.MkAbs(args[0])) // it may not exist yet
		if _, address, ok := strings.Cut(string(text), " at "); ok && strings.HasSuffix(address, "\n") {
			ts.Setenv("SERVED", strings.TrimSpace(address))
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s: no server address", args[0])
}

// holds is a script command: holds FILE PATTERN waits until a line of FILE, written in the background, matches.
func holds(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: holds FILE PATTERN")
	}
	pattern, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	for range 12_000 { // two minutes
		text, _ := os.ReadFile(ts.MkAbs(args[0])) // it may not exist yet
		if pattern.Match(text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s: nothing matches %s", args[0], args[1])
}

// fees runs the program in this process.
func fees(args ...string) (stdout, stderr string, code int) {
	var out, errors bytes.Buffer
	code = run(context.Background(), args, &out, &errors)
	return out.String(), errors.String(), code
}
