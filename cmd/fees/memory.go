package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// gcPercent lets the heap grow to five times what is in use before it is swept: a few blocks are, so
// that little memory buys a good deal of speed.
const gcPercent = 400

// memoryLimit is where the heap no longer grows like that. What is in use by then is a few of the
// largest blocks that a gateway may send.
const memoryLimit = 300 << 20

// boundMemory has the heap grow so, unless GOGC or GOMEMLIMIT say otherwise. A question may need more
// than the limit, such as a report with many groups: swept as often as it takes to stay below, the
// program would do little else. So the limit rises with what is in use, by a quarter of that, and
// falls with it.
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
			debug.SetMemoryLimit(max(memoryLimit, inUse+inUse/4))
			afterSweep()
		})
	}
	afterSweep()
}

// swept is garbage: it is gone once the heap was swept.
type swept struct{ _ *int }
