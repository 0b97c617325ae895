// Command fees computes the exact transaction fees of Moonbeam-style chains. Run fees help for its
// manual.
package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// grace is the time to store pending work after a signal. If the program is then still blocked (on a
// pipe, a lock or a database), it exits anyway: all writes are atomic, and the next run continues.
const grace = 1500 * time.Millisecond

func main() {
	boundMemory(strings.Join(os.Args[1:min(2, len(os.Args))], ""))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second signal kills the program
		time.AfterFunc(grace, func() { os.Exit(exitInterrupted) })
	})
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
