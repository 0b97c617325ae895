package report

import (
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"iter"
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
	held []groupPrice // in memory, in the order of the chain
	runs []*spill.Records
	paid []uint64 // number of transactions with a price, by group
}

// groupPrice is a price that a transaction of a group paid. Groups are numbered from 0.
type groupPrice struct {
	group uint32
	price chain.GasPrice
}

func (p groupPrice) compare(x groupPrice) int {
	if p.group != x.group {
		return cmp.Compare(p.group, x.group)
	}
	return p.price.Cmp(x.price)
}

// add counts a price in a group.
func (p *gasPrices) add(group int, price chain.GasPrice) error {
	for len(p.paid) <= group {
		p.paid = append(p.paid, 0)
	}
	p.paid[group]++
	p.held = append(p.held, groupPrice{uint32(group), price})
	if len(p.held) < maxPrices {
		return nil
	}
	return p.spill()
}

// spill writes the prices in memory to a temporary file, sorted.
func (p *gasPrices) spill() error {
	run := new(spill.Records)
	p.runs = append(p.runs, run)
	for record := range p.sorted() {
		if _, err := run.Add(record); err != nil {
			return err
		}
	}
	p.held = p.held[:0]
	return nil
}

// A record is a group, its price and a count, with the most significant byte first: records sort as their prices do.
const (
	priceAt = 4
	countAt = priceAt + 32
)

// sorted returns the records of the prices in memory.
func (p *gasPrices) sorted() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		slices.SortFunc(p.held, groupPrice.compare)
		for i := 0; i < len(p.held); {
			count := 1
			for one := p.held[i]; i+count < len(p.held) && p.held[i+count] == one; {
				count++
			}
			word := p.held[i].price.Word()
			record := append(binary.BigEndian.AppendUint32(nil, p.held[i].group), word[:]...)
			if !yield(binary.BigEndian.AppendUint64(record, uint64(count)), nil) {
				return
			}
			i += count
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
	for record, err := range p.merged() {
		if err != nil {
			return nil, err
		}
		group, count := int(binary.BigEndian.Uint32(record)), binary.BigEndian.Uint64(record[countAt:])
		if group != last {
			last, below = group, 0
		}
		price := chain.GasPriceOf([32]byte(record[priceAt:]))
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

// merged returns all records, sorted; a price of a group may occur several times.
func (p *gasPrices) merged() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var h runHeap
		defer func() {
			for _, r := range h {
				r.stop()
			}
		}()
		sources := []iter.Seq2[[]byte, error]{p.sorted()}
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
			if !yield(r.record, r.err) || r.err != nil {
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
