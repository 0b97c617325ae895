package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// gcPercent lets the heap grow to five times the live data before collection. Live data is small, so
// this gains much speed for little memory.
const gcPercent = 400

// memoryLimit is the size of Go's memory at which gcPercent stops applying. A process that fills a ledger needs 60 MB
// more: for SQLite and the program itself.
const memoryLimit = 150 << 20

// room is the least that the heap may grow between two collections, however large it is.
const room = 80 << 20

// boundMemory applies these limits unless GOGC or GOMEMLIMIT are set. A report with many groups can need
// more than memoryLimit, so the limit follows the live heap plus a quarter, or plus room; otherwise the
// program would do little but collect garbage.
func boundMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(memoryLimit)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var afterSweep func()
	afterSweep = func() {
		runtime.SetFinalizer(&swept{new(int)}, func(*swept) {
			metrics.Read(live)
			inUse := int64(live[0].Value.Uint64())
			debug.SetMemoryLimit(max(memoryLimit, inUse+max(inUse/4, room)))
			afterSweep()
		})
	}
	afterSweep()
}

// swept is garbage whose finalizer runs after each collection.
type swept struct{ _ *int }
