package decoders

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// bodies are the recorded blocks except block 0, which has no extrinsics. The environment variable RECORDINGS names
// another directory.
func bodies(tb testing.TB) [][]byte {
	tb.Helper()
	dir := os.Getenv("RECORDINGS")
	if dir == "" {
		dir = "../../../testdata/recordings/moonbeam-2100/blocks"
	}
	var out [][]byte
	for height := 1; ; height++ {
		body, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.json", height)))
		if os.IsNotExist(err) {
			break
		}
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, body)
	}
	if len(out) == 0 {
		tb.Fatalf("no recorded blocks in %s", dir)
	}
	return out
}

// All candidates decode the same values from every block.
func TestCandidatesAgree(t *testing.T) {
	compact := func(data string) string {
		var out bytes.Buffer
		if err := json.Compact(&out, []byte(data)); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	describe := func(b block[string]) string {
		for i := range b.Extrinsics {
			for j := range b.Extrinsics[i].Events {
				data := &b.Extrinsics[i].Events[j].Data
				*data = compact(*data)
			}
		}
		out, err := json.MarshalIndent(b, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range b.Extrinsics {
			out = fmt.Appendf(out, "\n%d: %+v", i, x.Transaction)
		}
		return string(out)
	}
	want := newEncodingJSON()
	for _, c := range candidates {
		t.Run(c.name, func(t *testing.T) {
			have := c.new()
			for i, body := range bodies(t) {
				before := bytes.Clone(body)
				if err := have.decode(body); err != nil {
					t.Fatalf("block %d: %v", i+1, err)
				}
				if !bytes.Equal(body, before) {
					t.Errorf("block %d: the decoder changed the body", i+1)
				}
				if err := want.decode(body); err != nil {
					t.Fatal(err)
				}
				if have, want := describe(have.decoded()), describe(want.decoded()); have != want {
					t.Errorf("block %d: have\n%s\nwant\n%s", i+1, have, want)
				}
			}
		})
	}
}

// BenchmarkDecode decodes all blocks once per operation.
func BenchmarkDecode(b *testing.B) {
	for _, c := range candidates {
		b.Run(c.name, func(b *testing.B) {
			d := c.new()
			passes(b, func(body []byte) {
				if err := d.decode(body); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	// Finds the quotes and nothing else: a lower bound.
	b.Run("bytes.IndexByte", func(b *testing.B) {
		passes(b, func(body []byte) {
			for {
				i := bytes.IndexByte(body, '"')
				if i < 0 {
					return
				}
				body = body[i+1:]
			}
		})
	})
}

func BenchmarkValid(b *testing.B) {
	for _, v := range validators {
		b.Run(v.name, func(b *testing.B) {
			passes(b, func(body []byte) {
				if !v.valid(body) {
					b.Fatal("invalid JSON")
				}
			})
		})
	}
}

// passes measures passes over all blocks.
func passes(b *testing.B, decode func(body []byte)) {
	all := bodies(b)
	var size int64
	for _, body := range all {
		size += int64(len(body))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, body := range all {
			decode(body)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(all))/b.Elapsed().Seconds(), "blocks/s")
}
