package report

import (
	"bytes"
	"container/heap"
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"math/bits"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/spill"
)

// percents lists the percentiles of a report.
var percents = [...]uint64{10, 50, 90}

// percentiles are prices that were paid, one for each of percents, or none without any price.
type percentiles [len(percents)]chain.Optional[chain.GasPrice]

// maxPrices limits the prices held in memory. More are sorted and written to a temporary file.
var maxPrices = 250_000

// gasPrices counts the gas prices paid in each group. There may be as many prices as transactions: those
// that exceed the memory limit go to temporary files as sorted runs, which are merged at the end.
type gasPrices struct {
	counts map[string]uint64 // by group and price, encoded so that keys sort numerically
	runs   []*spill.Records
	paid   []uint64 // number of transactions with a price, by group
	key    []byte
}

// add counts a price in a group. Groups are numbered from 0.
func (p *gasPrices) add(group int, price chain.GasPrice) error {
	if p.counts == nil {
		p.counts = map[string]uint64{}
	}
	for len(p.paid) <= group {
		p.paid = append(p.paid, 0)
	}
	p.paid[group]++
	digits := price.String()
	p.key = binary.BigEndian.AppendUint32(p.key[:0], uint32(group))
	p.key = append(append(p.key, byte(len(digits))), digits...)
	p.counts[string(p.key)]++
	if len(p.counts) < maxPrices {
		return nil
	}
	return p.spill()
}

// spill writes the counts in memory to a temporary file, sorted.
func (p *gasPrices) spill() error {
	run := new(spill.Records)
	p.runs = append(p.runs, run)
	for record := range p.held() {
		if _, err := run.Add(record); err != nil {
			return err
		}
	}
	clear(p.counts)
	return nil
}

// held returns the sorted records in memory: a key followed by an eight-byte count.
func (p *gasPrices) held() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, key := range slices.Sorted(maps.Keys(p.counts)) {
			if !yield(binary.BigEndian.AppendUint64([]byte(key), p.counts[key]), nil) {
				return
			}
		}
	}
}

// close deletes the temporary files.
func (p *gasPrices) close() (err error) {
	for _, run := range p.runs {
		err = errors.Join(err, run.Close())
	}
	return err
}

// ranked returns the percentiles of each group by the nearest rank: the price with the rank
// ceil(percent × n / 100) of n.
func (p *gasPrices) ranked() ([]percentiles, error) {
	list := make([]percentiles, len(p.paid))
	below := uint64(0) // transactions of the group with a lower price
	last := -1
	for key, count := range p.merged() {
		if key.err != nil {
			return nil, key.err
		}
		group := int(binary.BigEndian.Uint32(key.text))
		if group != last {
			last, below = group, 0
		}
		price, err := chain.ParseGasPrice(string(key.text[5:]))
		if err != nil {
			return nil, err
		}
		for i, percent := range percents {
			if rank := rankOf(percent, p.paid[group]); rank > below && rank <= below+count {
				list[group][i] = chain.Some(price)
			}
		}
		below += count
	}
	return list, nil
}

// rankOf returns ceil(percent × n / 100).
func rankOf(percent, n uint64) uint64 {
	high, low := bits.Mul64(n, percent)
	rank, rest := bits.Div64(high, low, 100)
	if rest > 0 {
		rank++
	}
	return rank
}

// mergedKey is a group and one of its prices, or an error.
type mergedKey struct {
	text []byte
	err  error
}

// merged returns all keys with their counts, sorted; a key may occur several times.
func (p *gasPrices) merged() iter.Seq2[mergedKey, uint64] {
	return func(yield func(mergedKey, uint64) bool) {
		var h runHeap
		defer func() {
			for _, r := range h {
				r.stop()
			}
		}()
		sources := []iter.Seq2[[]byte, error]{p.held()}
		for _, run := range p.runs {
			sources = append(sources, run.All())
		}
		for _, source := range sources {
			r := &runReader{}
			r.next, r.stop = iter.Pull2(source)
			if r.read() {
				h = append(h, r)
			}
		}
		heap.Init(&h)
		for len(h) > 0 {
			r := h[0]
			end := len(r.record) - 8
			if r.err != nil {
				yield(mergedKey{err: r.err}, 0)
				return
			}
			if !yield(mergedKey{text: r.record[:end]}, binary.BigEndian.Uint64(r.record[end:])) {
				return
			}
			if r.read() {
				heap.Fix(&h, 0)
			} else {
				heap.Pop(&h)
			}
		}
	}
}

// runReader reads a sorted run.
type runReader struct {
	next   func() ([]byte, error, bool)
	stop   func()
	record []byte
	err    error
}

// read reads the next record and reports whether there is one.
func (r *runReader) read() (more bool) {
	var record []byte
	if record, r.err, more = r.next(); !more {
		r.stop()
	}
	r.record = record
	return more
}

// runHeap orders runs by their next record, with failed runs first.
type runHeap []*runReader

func (h runHeap) Len() int { return len(h) }
func (h runHeap) Less(i, j int) bool {
	if h[i].err != nil || h[j].err != nil {
		return h[i].err != nil
	}
	return bytes.Compare(h[i].record, h[j].record) < 0
}
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)   { *h = append(*h, x.(*runReader)) }
func (h *runHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
