package main

import (
	"cmp"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// libraries are the stages of functions outside the project.
var libraries = map[string]string{
	"modernc.org/": "SQLite", "github.com/jackc/": "pgx", "github.com/klauspost/compress/": "compression", "github.com/coder/websocket": "WebSocket",
	"github.com/consensys/gnark-crypto/": "signatures", "golang.org/x/crypto/": "hashes", "crypto/sha256": "hashes",
}

const project = "github.com/feeledger/fees/"

// maxStages are listed of each row.
const maxStages = 8

// stagesOf returns the shares of the CPU by stage, largest first. A stage is the package of the innermost function of the
// project, a library, or the collection of garbage.
func stagesOf(profile string) (string, error) {
	text, err := exec.Command("go", "tool", "pprof", "-traces", profile).Output()
	if err != nil {
		return "", fmt.Errorf("go tool pprof: %w", err)
	}
	total, by := time.Duration(0), map[string]time.Duration{}
	_, traces, _ := strings.Cut(string(text), "-+-")
	for trace := range strings.SplitSeq(traces, "-+-") {
		lines := strings.Split(strings.Trim(trace, "-\n"), "\n")
		value, first, _ := strings.Cut(strings.TrimSpace(lines[0]), " ")
		took, err := time.ParseDuration(value)
		if err != nil {
			continue // labels
		}
		lines[0] = first
		total += took
		by[stageOf(lines)] += took
	}
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), strings.Compare(a, b)) })
	var list []string
	for _, name := range names[:min(len(names), maxStages)] {
		list = append(list, fmt.Sprintf("%s %.1f", name, 100*by[name].Seconds()/total.Seconds()))
	}
	return strings.Join(list, ", "), nil
}

// stageOf returns the stage of a stack, innermost function first.
func stageOf(stack []string) string {
	found := ""
	for _, function := range stack {
		function = strings.TrimSpace(function)
		if strings.HasPrefix(function, "runtime.gcBgMarkWorker") || strings.HasPrefix(function, "runtime.gcAssistAlloc") || strings.HasPrefix(function, "runtime.bgsweep") {
			return "garbage"
		}
		if found == "" {
			found = known(function)
		}
	}
	return cmp.Or(found, "Go's runtime")
}

// known returns the stage of a function of the project or a library, "" for others.
func known(function string) string {
	function, _, _ = strings.Cut(function, "[") // types
	if path, ours := strings.CutPrefix(function, project); ours {
		at := strings.LastIndexByte(path, '/') + 1
		name, _, _ := strings.Cut(path[at:], ".")
		return path[:at] + name
	}
	for prefix, stage := range libraries {
		if strings.HasPrefix(function, prefix) {
			return stage
		}
	}
	return ""
}
