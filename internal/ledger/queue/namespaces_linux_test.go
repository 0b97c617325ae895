package queue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/internal/test/program"
	"github.com/feeledger/fees/internal/test/tier"
)

// namespace is a separate network with a link to ours.
type namespace struct {
	name, link       string
	network, address string // of our end of the link
}

// newNamespace creates the i-th namespace of this process, which is removed when the test ends.
func newNamespace(t *testing.T, i int) namespace {
	program.Ask(t, program.Namespaces)
	id := os.Getpid()%50_000 + i
	prefix := fmt.Sprintf("10.%d.%d", 64+id/250%128, id%250)
	n := namespace{
		name: fmt.Sprintf("fees-%d-%d", os.Getpid(), i), link: fmt.Sprintf("fees%d-%d", os.Getpid()%1_000_000, i),
		network: prefix + ".0/24", address: prefix + ".1",
	}
	if out, err := exec.Command("ip", "netns", "add", n.name).CombinedOutput(); err != nil {
		program.Missing(t, program.Namespaces, fmt.Sprintf("%v: %s", err, out))
	}
	t.Cleanup(func() { exec.Command("ip", "netns", "delete", n.name).Run() }) // the link is removed with it
	n.ip(t, "link", "add", "name", n.link, "type", "veth", "peer", "name", "fees", "netns", n.name)
	n.ip(t, "address", "add", n.address+"/24", "dev", n.link)
	n.ip(t, "link", "set", n.link, "up")
	n.ip(t, "-n", n.name, "address", "add", prefix+".2/24", "dev", "fees")
	n.ip(t, "-n", n.name, "link", "set", "fees", "up")
	n.ip(t, "-n", n.name, "link", "set", "lo", "up")
	return n
}

func (n namespace) ip(t *testing.T, arguments ...string) {
	t.Helper()
	out, err := exec.Command("ip", arguments...).CombinedOutput()
	require.NoError(t, err, "ip %v: %s", arguments, out)
}

// worker starts a worker process there.
func (n namespace) worker(s shared) *process {
	p := &process{Cmd: exec.Command("ip", "netns", "exec", n.name, os.Args[0]), test: s}
	p.Env = append(os.Environ(), asWorker+"="+strings.Replace(s.address, "127.0.0.1", n.address, 1), pauseOfWorker+"=60ms")
	p.Stderr = &p.said
	require.NoError(s, p.Start())
	s.Cleanup(func() { p.Process.Kill() })
	return p
}

// Workers in separate networks and their server are killed in turns, and their networks are cut off and restored. The
// ledger equals an undisturbed one. If commits do not wait for the server's disk, blocks are lost together with the end of
// their jobs; new jobs may be lost too, and are enqueued again.
func TestKillsAcrossNamespaces(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: kills servers and workers")
	}
	wanted := tier.Count(t, "FEES_SERVER_KILLS", 6, 6)
	for i, commit := range []string{"on", "off"} {
		t.Run("synchronous_commit "+commit, func(t *testing.T) {
			t.Parallel()
			places := []namespace{newNamespace(t, 2*i), newNamespace(t, 2*i+1)}
			server := postgrestest.StartFor(t, []string{places[0].network, places[1].network},
				"listen_addresses=127.0.0.1,"+places[0].address+","+places[1].address, "synchronous_commit="+commit)
			killAcross(t, server, places, (wanted+1)/2, commit == "off")
		})
	}
}

func killAcross(t *testing.T, server *postgrestest.Server, places []namespace, wanted int, loses bool) {
	ctx := context.Background()
	s := newShared(t, server)
	last := uint64(0)
	enqueueMore := func() {
		for {
			_, err := queue.Enqueue(ctx, s.Book, []chain.Heights{{First: last + 1, Last: last + 100}}, 5)
			if err == nil {
				last += 100
				return
			}
		}
	}
	left := func() uint64 {
		for {
			if jobs, err := queue.Jobs(ctx, s.Book); err == nil { // connections from before a kill are broken
				return jobs.Left()
			}
			time.Sleep(seconds(0.01))
		}
	}
	enqueueMore()
	start := func(i int) *process { return places[i%len(places)].worker(s) }
	workers := []*process{start(0), start(1), start(2)}
	killed := map[string]int{}
	for killed["server"]+killed["workers"] < wanted {
		time.Sleep(rand.N(seconds(0.5)))
		if left() < 20 {
			enqueueMore()
		}
		switch i := rand.IntN(len(workers)); rand.IntN(5) {
		case 0:
			link := places[i%len(places)].link
			places[0].ip(t, "link", "set", link, "down")
			time.Sleep(rand.N(seconds(2)))
			places[0].ip(t, "link", "set", link, "up")
			killed["links"]++
		case 1, 2:
			server.Kill()
			time.Sleep(rand.N(seconds(0.3)))
			server.Restart()
			killed["server"]++
		default:
			workers[i].Process.Kill()
			workers[i].Wait()
			workers[i] = start(i)
			killed["workers"]++
		}
	}
	t.Logf("killed or cut off: %v; %d blocks", killed, last)
	for i, p := range workers { // workers that ended because nothing was left, or without a server
		p.Process.Kill()
		p.Wait()
		workers[i] = start(i)
	}
	left()                                                                                                             // no earlier connection is left
	s.exec("UPDATE river_job SET state = 'available', scheduled_at = now() WHERE state IN ('available', 'retryable')") // otherwise it waits for up to a minute
	for _, p := range workers {
		s.ends(p)
	}
	if loses {
		missing, err := s.Missing(ctx, chain.Heights{First: 1, Last: last})
		require.NoError(t, err)
		made, err := queue.Enqueue(ctx, s.Book, missing, 5)
		require.NoError(t, err)
		t.Logf("%d jobs were lost", made)
		s.ends(start(0))
	}
	s.requireDone(last)
}
