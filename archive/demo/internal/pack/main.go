// Command pack writes the answers on blocks in a directory of recordings into a
// zip file.
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: pack DIRECTORY FILE.zip")
	}
	packed, err := pack(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[2], packed, 0o644); err != nil {
		log.Fatal(err)
	}
}

func pack(directory string) ([]byte, error) {
	var paths []string
	for _, pattern := range []string{"blocks/*.json", "headers/*.json", "multiplier/*.json", "node-version.json", "runtime-spec.json"} {
		found, err := filepath.Glob(filepath.Join(directory, pattern))
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	slices.Sort(paths)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	for _, path := range paths {
		name, err := filepath.Rel(directory, path)
		if err != nil {
			return nil, err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file, err := w.Create(filepath.ToSlash(name)) // without a time
		if err != nil {
			return nil, err
		}
		if _, err := file.Write(content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return packed.Bytes(), err
}
