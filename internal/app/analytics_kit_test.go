package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
)

// engine is a program that reads Parquet, as a package of npm, and how it is asked: the
// script reads a list of questions as JSON, and writes a list of rows for each.
type engine struct {
	name, pack, version string
	kind                program.Kind // it is fetched where it must be there
	script              string
}

var duckDB = engine{name: "DuckDB", pack: "@duckdb/node-api", version: "1.5.6-r.1", kind: program.DuckDB, script: `
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
const connection = await instance.connect();
await connection.run("SET TimeZone = 'UTC'");
const answers = [];
for (const question of JSON.parse(readFileSync(0, 'utf8'))) {
	const reader = await connection.runAndReadAll(question);
	answers.push(reader.getRowObjectsJson());
}
process.stdout.write(JSON.stringify(answers));
`}

var clickHouse = engine{name: "ClickHouse", pack: "chdb", version: "3.4.0", kind: program.ClickHouse, script: `
import { readFileSync } from 'node:fs';
import { Session } from 'chdb';
const session = new Session();
session.query('SET output_format_json_quote_decimals = 1, output_format_json_quote_64bit_integers = 1, max_threads = 2');
const answers = [];
for (const question of JSON.parse(readFileSync(0, 'utf8'))) {
	const lines = session.query(question, 'JSONEachRow');
	answers.push(lines.split('\n').filter(line => line !== '').map(line => JSON.parse(line)));
}
session.cleanup();
process.stdout.write(JSON.stringify(answers));
`}

// install is the directory that has the engine's package. It is fetched once, by npm, and
// kept among what a user's programs keep.
func (e *engine) install(t testing.TB) string {
	t.Helper()
	require := require.New(t)
	program.Path(t, e.kind, "node")
	kept, err := os.UserCacheDir()
	if err != nil {
		kept = directory
	}
	dir := filepath.Join(kept, "fees-tests", strings.NewReplacer("@", "", "/", "-").Replace(e.pack)+"-"+e.version)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	program.Path(t, e.kind, "npm")
	if !e.kind.Required() {
		program.Missing(t, e.kind, fmt.Sprintf("%s=%s fetches it by npm, and it is kept", program.Wanted, e.kind))
	}
	require.NoError(os.MkdirAll(filepath.Dir(dir), 0o777))
	draft, err := os.MkdirTemp(filepath.Dir(dir), "draft-")
	require.NoError(err)
	defer os.RemoveAll(draft)
	npm := exec.CommandContext(t.Context(), "npm", "install", "--prefix", draft, "--no-audit", "--no-fund", "--ignore-scripts", e.pack+"@"+e.version)
	if out, err := npm.CombinedOutput(); err != nil {
		program.Missing(t, e.kind, fmt.Sprintf("npm install %s: %v: %s", e.pack, err, bytes.TrimSpace(out)))
	}
	if err := os.Rename(draft, dir); err != nil && !os.IsExist(err) { // another test was faster
		_, there := os.Stat(dir)
		require.NoError(there, err)
	}
	return dir
}

// row is an answer's row: each value as text, nil where it is null.
type row map[string]any

// text is a value that must be there.
func (r row) text(t testing.TB, column string) string {
	t.Helper()
	value, ok := r[column]
	require.True(t, ok, "no column %s in %v", column, r)
	require.NotNil(t, value, column)
	return fmt.Sprint(value)
}

// ask asks the engine. Numbers come as they are written, with all their digits.
func (e *engine) ask(t testing.TB, questions ...string) [][]row {
	t.Helper()
	input, err := json.Marshal(questions)
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(e.run(t, input)))
	decoder.UseNumber()
	var answers [][]row
	require.NoError(t, decoder.Decode(&answers))
	require.Len(t, answers, len(questions))
	return answers
}

// run runs the engine's script.
func (e *engine) run(t testing.TB, input []byte) []byte {
	t.Helper()
	dir := e.install(t)
	script := filepath.Join(dir, "ask-"+filepath.Base(t.TempDir())+fmt.Sprint(os.Getpid())+".mjs") // beside node_modules
	require.NoError(t, os.WriteFile(script, []byte(e.script), 0o600))
	defer os.Remove(script)
	node := exec.CommandContext(t.Context(), "node", script)
	node.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	node.Stderr = &stderr
	out, err := node.Output()
	require.NoError(t, err, "%s: %s", e.name, stderr.String())
	return out
}
