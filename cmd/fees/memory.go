package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
)

// gcPercent lets the heap grow to five times the live data before collection. Live data is small, so
// this gains much speed for little memory.
const gcPercent = 400

// memoryLimit is the size of Go's memory at which gcPercent stops applying: a few of the largest blocks that a
// gateway may send.
const memoryLimit = 300 << 20

// fillLimit is memoryLimit for commands that fill a ledger, which run for long beside other programs: with SQLite and
// the program itself they need 60 MB more.
const fillLimit = 150 << 20

// filling are those commands.
var filling = []string{"sync", "follow", "worker"}

// room is the least that the heap may grow between two collections.
const room = 80 << 20

// boundMemory applies these limits to a command unless GOGC or GOMEMLIMIT are set. A report with many groups can need
// more than memoryLimit, so the limit follows the live heap plus a quarter, or plus room; otherwise the program would
// do little but collect garbage. The heap of serve, which answers many at once, may grow to twice its live part.
func boundMemory(command string) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := int64(memoryLimit)
	if slices.Contains(filling, command) {
		limit = fillLimit
	}
	debug.SetMemoryLimit(limit)
	share := int64(4) // of the live heap, as room
	if command == "serve" {
		share = 1
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var afterSweep func()
	afterSweep = func() {
		runtime.SetFinalizer(&swept{new(int)}, func(*swept) {
			metrics.Read(live)
			inUse := int64(live[0].Value.Uint64())
			debug.SetMemoryLimit(max(limit, inUse+max(inUse/share, room)))
			afterSweep()
		})
	}
	afterSweep()
}

// swept is garbage whose finalizer runs after each collection.
type swept struct{ _ *int }
