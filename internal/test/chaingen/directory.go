package chaingen

import (
	"fmt"
	"os"
	"path/filepath"
)

// WriteDirectory writes a directory of recordings, one file per response, of the blocks from first to last,
// for answers.OpenDirectory. It includes the multiplier and the runtime after the block before the first.
func (c *Chain) WriteDirectory(directory string, first, last uint64) error {
	write := func(text []byte, path string, args ...any) error {
		path = filepath.Join(directory, fmt.Sprintf(path, args...))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o666)
	}
	before := max(first, 1) - 1
	upgraded := c.RuntimeAt(before) != c.RuntimeAt(last)
	err := write(c.NodeVersion(), "node-version.json")
	if !upgraded && err == nil { // one file is for all heights
		err = write(c.Runtime(last), "runtime-spec.json")
	}
	for height := before; height <= last && err == nil; height++ {
		err = write(c.Multiplier(height), "multiplier/%d.json", height)
		if c.network.ParameterKey != "" && err == nil {
			err = write(c.Proportion(height), "parameters/%d.json", height)
		}
		if upgraded && err == nil {
			err = write(c.Runtime(height), "runtime-spec/%d.json", height)
		}
		if height < first || err != nil {
			continue
		}
		if c.executing(height).version >= SecondRuntime { // whose multiplier follows from it
			err = write(c.BlockWeight(height), "block-weight/%d.json", height)
		}
		if err == nil {
			err = write(c.Header(height), "headers/%d.json", height)
		}
		if err == nil {
			err = write(c.Block(height), "blocks/%d.json", height)
		}
	}
	return err
}
