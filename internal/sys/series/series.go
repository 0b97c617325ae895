// Package series keeps the metrics of a program, and writes them in Prometheus's text format.
//
// A label has one of a few values that the program defines: the number of series is not bounded here.
//
// Source: prometheus.io, exposition formats, text-based format 0.0.4.
package series

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Registry contains the metrics of one program. Create each of them once. It is safe for concurrent use.
type Registry struct {
	guard   sync.Mutex
	collect []func(*Scrape)
}

// Collect registers a function that reports values at each scrape.
func (r *Registry) Collect(values func(*Scrape)) {
	r.guard.Lock()
	defer r.guard.Unlock()
	r.collect = append(r.collect, values)
}

// WriteTo writes all metrics, sorted by name and labels.
func (r *Registry) WriteTo(w io.Writer) (int64, error) {
	r.guard.Lock()
	collect := slices.Clone(r.collect)
	r.guard.Unlock()
	s := newScrape()
	for _, part := range scrapeAll(collect) {
		for name, f := range part.families {
			maps.Copy(s.family(f.kind, name, f.help).samples, f.samples)
		}
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.families)) {
		f := s.families[name]
		fmt.Fprintf(&text, "# HELP %s %s\n# TYPE %s %s\n", name, helpEscapes.Replace(f.help), name, f.kind)
		for _, labels := range slices.Sorted(maps.Keys(f.samples)) {
			text.WriteString(f.samples[labels])
		}
	}
	n, err := io.WriteString(w, text.String())
	return int64(n), err
}

// scrapeAll calls the functions at the same time: one that is slow does not keep the others.
func scrapeAll(collect []func(*Scrape)) []*Scrape {
	parts := make([]*Scrape, len(collect))
	var all sync.WaitGroup
	for i, values := range collect {
		parts[i] = newScrape()
		all.Go(func() { values(parts[i]) })
	}
	all.Wait()
	return parts
}

// Scrape collects the values of all metrics at one moment.
type Scrape struct{ families map[string]*family }

func newScrape() *Scrape { return &Scrape{families: map[string]*family{}} }

// family is a metric: its samples by their labels.
type family struct {
	kind, help string
	samples    map[string]string
}

func (s *Scrape) family(kind, name, help string) *family {
	f := s.families[name]
	if f == nil {
		f = &family{kind, help, map[string]string{}}
		s.families[name] = f
	}
	return f
}

// Gauge reports the value of a gauge. Labels are names and values in turns.
func (s *Scrape) Gauge(name, help string, value float64, labels ...string) {
	text := labelText(labels)
	s.family("gauge", name, help).samples[text] = sample(name, text, value)
}

// counter reports the value of a counter.
func (s *Scrape) counter(name, help string, value float64, labels string) {
	s.family("counter", name, help).samples[labels] = sample(name, labels, value)
}

func sample(name, labels string, value float64) string {
	if labels != "" {
		labels = "{" + labels + "}"
	}
	return name + labels + " " + strconv.FormatFloat(value, 'g', -1, 64) + "\n"
}

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// labelText returns labels, given as names and values in turns, sorted by name.
func labelText(labels []string) string {
	var list []string
	for pair := range slices.Chunk(labels, 2) {
		list = append(list, pair[0]+`="`+labelEscapes.Replace(pair[1])+`"`)
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

// metric is a metric that the program changes: a value of type T for each value of its labels.
type metric[T any] struct {
	labels []string
	guard  sync.Mutex
	values map[string]T
}

// change replaces the value for some values of the labels.
func (m *metric[T]) change(values []string, by func(T) T) {
	pairs := make([]string, 0, 2*len(values))
	for i, label := range m.labels {
		pairs = append(pairs, label, values[i])
	}
	text := labelText(pairs)
	m.guard.Lock()
	defer m.guard.Unlock()
	m.values[text] = by(m.values[text])
}

// each calls a function for each value.
func (m *metric[T]) each(report func(labels string, value T)) {
	m.guard.Lock()
	defer m.guard.Unlock()
	for labels, value := range m.values {
		report(labels, value)
	}
}

func newMetric[T any](labels []string) *metric[T] {
	m := &metric[T]{labels: labels, values: map[string]T{}}
	if len(labels) == 0 {
		var none T
		m.values[""] = none // is 0 from the start
	}
	return m
}

// Number is a counter or a gauge.
type Number struct{ *metric[float64] }

// Counter registers a counter, which only grows.
func (r *Registry) Counter(name, help string, labels ...string) *Number {
	n := &Number{newMetric[float64](labels)}
	r.Collect(func(s *Scrape) {
		n.each(func(labels string, value float64) { s.counter(name, help, value, labels) })
	})
	return n
}

// Gauge registers a gauge without labels.
func (r *Registry) Gauge(name, help string) *Number {
	n := &Number{newMetric[float64](nil)}
	r.Collect(func(s *Scrape) {
		n.each(func(_ string, value float64) { s.Gauge(name, help, value) })
	})
	return n
}

// Add adds to the number with these values of the labels.
func (n *Number) Add(change float64, values ...string) {
	n.change(values, func(before float64) float64 { return before + change })
}

// Histogram counts values by size.
type Histogram struct {
	*metric[*distribution]
	bounds []float64
}

// distribution contains how many values are at most as large as each bound, how many there are, and their sum.
type distribution struct {
	counts []uint64
	count  uint64
	sum    float64
}

// Histogram registers a histogram with ascending bounds and at least one label.
func (r *Registry) Histogram(name, help string, bounds []float64, labels ...string) *Histogram {
	h := &Histogram{newMetric[*distribution](labels), bounds}
	r.Collect(func(s *Scrape) {
		h.each(func(labels string, d *distribution) {
			var text strings.Builder
			bucket := func(bound string, count uint64) {
				text.WriteString(sample(name+"_bucket", labels+`,le="`+bound+`"`, float64(count)))
			}
			for i, bound := range h.bounds {
				bucket(strconv.FormatFloat(bound, 'g', -1, 64), d.counts[i])
			}
			bucket("+Inf", d.count)
			text.WriteString(sample(name+"_sum", labels, d.sum))
			text.WriteString(sample(name+"_count", labels, float64(d.count)))
			s.family("histogram", name, help).samples[labels] = text.String()
		})
	})
	return h
}

// Observe counts a value.
func (h *Histogram) Observe(value float64, values ...string) {
	h.change(values, func(d *distribution) *distribution {
		if d == nil {
			d = &distribution{counts: make([]uint64, len(h.bounds))}
		}
		for i, bound := range h.bounds {
			if value <= bound {
				d.counts[i]++
			}
		}
		d.count++
		d.sum += value
		return d
	})
}
