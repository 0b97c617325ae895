// Command fees gives the exact fees of a chain of the Moonbeam kind, block by
// block, from what a block gateway serves. Run fees help for its manual.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// grace is how long the program takes to end after a signal: long enough to store what
// is at hand, and to take away what is half made. Where it waits for somebody who does
// not listen (the reader of a pipe, another program's lock, a database), it ends in the
// middle: whatever it writes is whole or not there, and what it leaves is taken up by
// the next.
const grace = 1500 * time.Millisecond

func main() {
	boundMemory()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the program at once
		time.AfterFunc(grace, func() { os.Exit(exitInterrupted) })
	})
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
