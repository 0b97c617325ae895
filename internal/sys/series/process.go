package series

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
)

// Process registers the metrics of the process itself, by the names of Prometheus's clients. Those that the operating
// system does not report, as Linux does in /proc, are absent.
func (r *Registry) Process() {
	r.Collect(func(s *Scrape) {
		s.Gauge("go_goroutines", "Number of goroutines.", float64(runtime.NumGoroutine()))
		heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
		metrics.Read(heap)
		s.Gauge("go_memstats_heap_inuse_bytes", "Bytes of the heap in use.", float64(heap[0].Value.Uint64()+heap[1].Value.Uint64()))
		if fields := procFields("/proc/self/statm"); len(fields) > 1 {
			s.Gauge("process_resident_memory_bytes", "Resident memory.", float64(fields[1])*float64(os.Getpagesize()))
		}
		const userTime, systemTime, ticks = 11, 12, 100 // fields after the name, and their unit, of a second
		if fields := procFields("/proc/self/stat"); len(fields) > systemTime {
			s.counter("process_cpu_seconds_total", "CPU time of the process.", float64(fields[userTime]+fields[systemTime])/ticks, "")
		}
		if open, err := os.ReadDir("/proc/self/fd"); err == nil {
			s.Gauge("process_open_fds", "Open files.", float64(len(open)))
		}
	})
}

// procFields returns the numbers in a file of /proc, those after the process's name if it contains one. What is not a
// number is 0.
func procFields(path string) (list []uint64) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	line := string(text)
	if end := strings.LastIndexByte(line, ')'); end >= 0 {
		line = line[end+1:]
	}
	for _, field := range strings.Fields(line) {
		n, _ := strconv.ParseUint(field, 10, 64)
		list = append(list, n)
	}
	return list
}
