package metrics_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/app/metrics"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/program"
)

// series is one name of metrics, as all programs together have it.
type series struct {
	kind, help string
	labels     map[string]bool
}

// all are the metrics of the three programs, each of which has counted something.
func all(t testing.TB) map[string]*series {
	t.Helper()
	status := func(context.Context) (s app.Status, err error) {
		s.Stored, s.Sealed, s.LastTime = chain.Some(chain.Heights{}), chain.Some[uint64](0), chain.Some(chain.Time{})
		s.Jobs = chain.Some(queue.Summary{Oldest: time.Unix(1, 0)})
		return s, nil
	}
	serve, follow, worker := metrics.New(""), metrics.New(""), metrics.New("")
	serve.Ledger("", status)
	requests := serve.Requests(func() int { return 0 }, func() int { return 0 })
	requests.Began()
	requests.Ended("/", http.MethodGet, "200", time.Second)
	d := filled(t, 0, 3)
	f := follow.Follow()
	f.Opened(d)
	f.Heard(1)
	f.Wrote(1)
	w := worker.Work()
	w.Opened(d)
	w.Began()(queue.Done)
	found := map[string]*series{}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	for _, program := range []*metrics.Metrics{serve, follow, worker} {
		source := program.Source()
		source.Attempted(httpclient.Gateway, 2, time.Second, nil)
		source.Received(httpclient.Gateway, 1)
		_, text := get(t, program.Page(), "/metrics")
		families, err := parser.TextToMetricFamilies(strings.NewReader(text))
		require.NoError(t, err)
		for _, family := range families {
			s := found[family.GetName()]
			if s == nil {
				s = &series{strings.ToLower(family.GetType().String()), family.GetHelp(), map[string]bool{}}
				found[family.GetName()] = s
			}
			require.Equal(t, s.help, family.GetHelp(), "one name, one meaning")
			for _, one := range family.GetMetric() {
				for _, label := range one.GetLabel() {
					s.labels[label.GetName()] = true
				}
			}
		}
	}
	return found
}

// kindOf returns the type of a metric, by the rule of docs/operations.md.
func kindOf(name string) string {
	switch {
	case strings.HasSuffix(name, "_total"):
		return "counter"
	case strings.HasSuffix(name, "_request_seconds"), strings.HasSuffix(name, "_job_seconds"):
		return "histogram"
	}
	return "gauge"
}

// The table of docs/operations.md lists each metric of ours with its labels and meaning, and no
// other.
func TestTheTableIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../../docs/operations.md")
	require.NoError(t, err)
	var want, have []string
	for name, s := range all(t) {
		if !strings.HasPrefix(name, "fees_") {
			continue
		}
		require.Equal(t, kindOf(name), s.kind, name)
		labels := strings.Join(slices.Sorted(maps.Keys(s.labels)), ",")
		if labels != "" {
			labels = "{" + labels + "}"
		}
		want = append(want, fmt.Sprintf("| `%s%s` | %s |\n", name, labels, s.help))
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `fees_") {
			have = append(have, line)
		}
	}
	slices.Sort(want)
	require.Equal(t, strings.Join(want, ""), strings.Join(have, ""))
}

// asked are the expressions of the dashboard and of the alerts.
func asked(t testing.TB) (dashboard, alerts []string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/contrib/grafana/fees.json")
	require.NoError(t, err)
	var d struct {
		Panels []struct {
			Title, Description, Type string
			Targets                  []struct{ Expr string }
		}
		Templating struct{ List []struct{ Definition string } }
	}
	require.NoError(t, json.Unmarshal(text, &d))
	for _, p := range d.Panels {
		require.NotEmpty(t, p.Title)
		if p.Type != "row" {
			require.NotEmpty(t, p.Description, p.Title)
			require.NotEmpty(t, p.Targets, p.Title)
		}
		for _, target := range p.Targets {
			dashboard = append(dashboard, strings.NewReplacer("$__rate_interval", "5m", `"$job"`, `".*"`, `"$instance"`, `".*"`).Replace(target.Expr))
		}
	}
	for _, v := range d.Templating.List {
		if v.Definition != "" {
			name, _, _ := strings.Cut(strings.TrimPrefix(v.Definition, "label_values("), ",")
			dashboard = append(dashboard, strings.ReplaceAll(name, `"$job"`, `".*"`))
		}
	}
	text, err = os.ReadFile("../../../docs/contrib/prometheus/alerts.yml")
	require.NoError(t, err)
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr         string
				Labels, Annotations map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &rules))
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			require.Contains(t, []string{"warning", "critical"}, r.Labels["severity"], r.Alert)
			require.NotEmpty(t, r.Annotations["summary"], r.Alert)
			require.Regexp(t, "fees (ledger|follow|sync|gateway|verify|serve|worker)", r.Annotations["description"], "%s: which command helps?", r.Alert)
			alerts = append(alerts, r.Expr)
		}
	}
	return dashboard, alerts
}

// What an expression names.
var (
	aMetric   = regexp.MustCompile(`\b(?:fees|go|process)_[a-z_]+\b`)
	aSelector = regexp.MustCompile(`\b((?:fees|go|process)_[a-z_]+)\{([^}]*)\}`)
	aLabel    = regexp.MustCompile(`([a-z]+)(?:=|!=|=~|!~)"`)
	aGrouping = regexp.MustCompile(`(?:by|on) \(([^)]*)\)`)
)

// The dashboard and the alerts name metrics that are there, by labels that these have.
func TestWhatIsAskedIsThere(t *testing.T) {
	found := all(t)
	of := func(name string) *series {
		s := found[name]
		for _, part := range []string{"_bucket", "_count", "_sum"} {
			if whole, ok := strings.CutSuffix(name, part); ok && found[whole] != nil && found[whole].kind == "histogram" {
				s = found[whole]
			}
		}
		require.NotNil(t, s, "there is no metric %s", name)
		return s
	}
	dashboard, alerts := asked(t)
	require.Greater(t, len(dashboard), 20)
	require.Greater(t, len(alerts), 8)
	used := map[string]bool{}
	for _, expression := range append(dashboard, alerts...) {
		labels := map[string]bool{"job": true, "instance": true, "le": true} // those of Prometheus
		for _, name := range aMetric.FindAllString(expression, -1) {
			used[name] = true
			maps.Copy(labels, of(name).labels)
		}
		for _, selector := range aSelector.FindAllStringSubmatch(expression, -1) {
			for _, label := range aLabel.FindAllStringSubmatch(selector[2], -1) {
				require.True(t, of(selector[1]).labels[label[1]] || label[1] == "job" || label[1] == "instance", "%s has no label %s", selector[1], label[1])
			}
		}
		for _, grouping := range aGrouping.FindAllStringSubmatch(expression, -1) {
			for label := range strings.SplitSeq(grouping[1], ", ") {
				require.True(t, labels[label], "%s: nothing has the label %s", expression, label)
			}
		}
	}
	for _, name := range []string{"fees_ledger_last_height", "fees_follow_head_height", "fees_source_request_seconds_bucket", "fees_http_requests_total"} {
		require.True(t, used[name], name)
	}
}

// Prometheus itself takes the alerts and the expressions of the dashboard, and the alerts fire
// when they should.
func TestPromtool(t *testing.T) {
	promtool := program.Path(t, program.Promtool, "promtool")
	run := func(arguments ...string) {
		command := exec.CommandContext(t.Context(), promtool, arguments...)
		command.Dir = "../../../docs/contrib/prometheus"
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	run("check", "rules", "alerts.yml")
	run("test", "rules", "alerts_test.yml")
	dashboard, _ := asked(t)
	var rules strings.Builder
	rules.WriteString("groups:\n- name: dashboard\n  rules:\n")
	for i, expression := range dashboard {
		quoted, err := json.Marshal(expression)
		require.NoError(t, err)
		fmt.Fprintf(&rules, "  - {record: 'panel:%d', expr: %s}\n", i, quoted)
	}
	path := filepath.Join(t.TempDir(), "dashboard.yml")
	require.NoError(t, os.WriteFile(path, []byte(rules.String()), 0o600))
	run("check", "rules", path)
}
