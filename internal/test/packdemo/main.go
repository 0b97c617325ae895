// Command pack writes the responses for blocks and balances in a directory of recordings to a zip file that is
// compressed as a whole: many of them are small and similar.
package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"log"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: pack DIRECTORY FILE.zip.gz")
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
	for _, pattern := range []string{"blocks/*.json", "headers/*.json", "multiplier/*.json", "balance-info/*/*.json", "node-version.json", "runtime-spec.json"} {
		found, err := filepath.Glob(filepath.Join(directory, pattern))
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	slices.Sort(paths)
	var packed bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := zip.NewWriter(compressed)
	for _, path := range paths {
		name, err := filepath.Rel(directory, path)
		if err != nil {
			return nil, err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file, err := w.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Store}) // without a time
		if err != nil {
			return nil, err
		}
		if _, err := file.Write(content); err != nil {
			return nil, err
		}
	}
	err = errors.Join(w.Close(), compressed.Close())
	return packed.Bytes(), err
}
