//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// metricsAt waits until a process prints the URL of its metrics.
func metricsAt(t testing.TB, p *process) string {
	t.Helper()
	at := regexp.MustCompile(`fees: serving metrics at (http://\S+)/metrics\n`)
	address := ""
	eventually(t, "it does not say where its metrics are", func() bool {
		if found := at.FindStringSubmatch(p.stderr.String()); found != nil {
			address = found[1]
		}
		return address != ""
	})
	return address
}

// asked returns the status and body of a response.
func asked(t testing.TB, address string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

// scraped returns the program's own metrics at a URL, by name with labels.
func scraped(t testing.TB, address string) map[string]float64 {
	t.Helper()
	status, text := asked(t, address+"/metrics")
	require.Equal(t, http.StatusOK, status, text)
	values := map[string]float64{}
	for line := range strings.Lines(text) {
		if at := strings.LastIndex(line, " "); strings.HasPrefix(line, "fees_") {
			value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
			require.NoError(t, err, line)
			values[line[:at]] = value
		}
	}
	return values
}

func isReady(t testing.TB, address string) bool {
	status, _ := asked(t, address+"/readyz")
	return status == http.StatusOK
}

// A follower's metrics show its progress, that it waits while its gateway is down, and that it continues.
func TestProcessFollowMetrics(t *testing.T) {
	t.Parallel()
	made := chaingen.New(chaingen.Options{Seed: 32, Head: 20})
	server := newRestartable(t, made.Handler())
	place := newLedgerFile(t)
	p := start(t, "follow", "--ledger", place, "--gateway", "http://"+server.address, "--from", "11", "--poll", "20ms", "--signatures=false", "--metrics", "127.0.0.1:0")
	at := metricsAt(t, p)
	status, text := asked(t, at+"/healthz")
	require.Equal(t, http.StatusOK, status, text)
	eventually(t, "it is not ready", func() bool { return isReady(t, at) })
	var values map[string]float64
	eventually(t, "the ledger is not at the head", func() bool { values = scraped(t, at); return values["fees_ledger_sealed_height"] == 20 })
	require.Equal(t, []float64{20, 20, 11, 10, 0, 0, 1}, []float64{values["fees_follow_head_height"], values["fees_ledger_last_height"], values["fees_ledger_first_height"],
		values["fees_ledger_blocks"], values["fees_ledger_gaps"], values["fees_follow_waiting"], values["fees_ledger_up"]})
	require.GreaterOrEqual(t, values[`fees_source_requests_total{outcome="answered",place="gateway"}`], 20.0, "each block takes its own question and one for its multiplier")
	require.Greater(t, values[`fees_source_received_bytes_total{place="gateway"}`], 1000.0)
	require.NotZero(t, values["fees_follow_last_change_timestamp_seconds"])

	server.stop()
	eventually(t, "it is ready without its gateway", func() bool { return !isReady(t, at) })
	_, text = asked(t, at+"/readyz")
	require.Contains(t, text, "it waits for the gateway or the node: ")
	require.Contains(t, text, server.address, "the part that fails")
	values = scraped(t, at)
	require.Equal(t, 1.0, values["fees_follow_waiting"])
	require.NotZero(t, values[`fees_source_requests_total{outcome="unreachable",place="gateway"}`])
	require.NotZero(t, values[`fees_source_retries_total{place="gateway"}`])

	made.SetHead(25)
	server.start(t)
	eventually(t, "it does not go on", func() bool { return isReady(t, at) && scraped(t, at)["fees_ledger_last_height"] == 25 })
	p.signal(t, syscall.SIGTERM)
	p.ends(t, exitInterrupted)
}

// A worker's metrics cover its own jobs and those of the ledger. Pages of the same ledger have the latter, too.
func TestProcessWorkerMetrics(t *testing.T) {
	t.Parallel()
	_, gateway := generated(t, 33, 40)
	place := postgrestest.Start(t).Database(t)
	_, stderr, code := fees("sync", "--signatures=false", "1..40", "--enqueue", "--ledger", place, "--gateway", gateway)
	require.Equal(t, exitOK, code, stderr)
	served := start(t, "serve", "--quiet", "--ledger", place, "--listen", "127.0.0.1:0", "--labels", "none", "--metrics", "127.0.0.1:0")
	values := scraped(t, metricsAt(t, served))
	require.Equal(t, []float64{1, 0}, []float64{values[`fees_ledger_jobs{state="waiting"}`], values[`fees_ledger_jobs{state="failed"}`]})
	require.InDelta(t, time.Now().Unix(), values["fees_ledger_oldest_job_timestamp_seconds"], patience.Seconds())
	p := start(t, "worker", "--signatures=false", "--ledger", place, "--gateway", gateway, "--metrics", "127.0.0.1:0")
	at := metricsAt(t, p)
	eventually(t, "no job is done", func() bool {
		values = scraped(t, at)
		return values["fees_ledger_sealed_height"] == 40 && values[`fees_ledger_jobs{state="done"}`] == 1
	})
	require.True(t, isReady(t, at))
	require.NotContains(t, values, "fees_ledger_oldest_job_timestamp_seconds")
	require.Equal(t, []float64{1, 0, 0, 0}, []float64{values[`fees_worker_jobs_total{outcome="done"}`], values["fees_worker_jobs_running"], values["fees_worker_waiting"], values[`fees_ledger_jobs{state="waiting"}`]})
	require.NotContains(t, p.stderr.String(), "fees: --metrics")
	p.signal(t, syscall.SIGTERM)
	p.ends(t, exitOK)
}

// fees serve has metrics at both of its addresses, and can log requests without the accounts in them.
func TestProcessServeMetrics(t *testing.T) {
	t.Parallel()
	p := start(t, "serve", "--gateway", "demo", "--quiet", "--listen", "127.0.0.1:0", "--labels", "none", "--metrics", "127.0.0.1:0", "--log", "json", "--log-requests")
	at := metricsAt(t, p)
	pages := ""
	eventually(t, "it does not serve", func() bool {
		_, after, ok := strings.Cut(p.stderr.String(), "fees: serving the ledger of demo at ")
		pages, _, _ = strings.Cut(after, "\n")
		return ok && strings.Contains(after, "\n")
	})
	status, _ := asked(t, pages+"/account/"+alith)
	require.Equal(t, http.StatusOK, status)
	require.True(t, isReady(t, at))
	line := `fees_http_requests_total{method="GET",route="/account/{address}",status="200"}`
	eventually(t, "the request is not counted", func() bool { return scraped(t, at)[line] == 1 }) // it is once its answer is whole, which who asked may have seen before
	for _, address := range []string{at, pages} {
		values := scraped(t, address)
		require.Equal(t, []float64{27, 1}, []float64{values["fees_ledger_sealed_height"], values[line]})
	}
	status, _ = asked(t, at+"/overview")
	require.Equal(t, http.StatusNotFound, status, "that address has nothing of the ledger")
	p.signal(t, syscall.SIGTERM)
	p.ends(t, exitOK)
	logged := 0
	for text := range strings.Lines(p.stderr.String()) {
		if !strings.HasPrefix(text, "{") {
			continue
		}
		var entry map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &entry))
		require.Equal(t, []any{"request", "/account/{address}", "200"}, []any{entry["msg"], entry["route"], entry["status"]})
		logged++
	}
	require.Equal(t, 1, logged)
	require.NotContains(t, strings.ToLower(p.stderr.String()), strings.ToLower(alith))
}

// Alerts only name commands and flags that exist.
func TestAlertsNameCommands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/contrib/prometheus/alerts.yml")
	require.NoError(t, err)
	root := newRoot(io.Discard, io.Discard)
	found := regexp.MustCompile("`fees ([^`]+)`").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(found), 10)
	for _, one := range found {
		var words []string
		var flags []string
		for _, word := range strings.Fields(one[1]) {
			if flag, ok := strings.CutPrefix(word, "--"); ok {
				flags = append(flags, flag)
			} else {
				words = append(words, word)
			}
		}
		c, rest, err := root.Find(words)
		require.NoError(t, err)
		require.Empty(t, rest, "fees %s", one[1])
		for _, flag := range flags {
			require.True(t, flag == "help" || c.Flags().Lookup(flag) != nil, "fees %s", one[1])
		}
	}
}
