// Package dependencies checks docs/dependencies.md against the program's modules: each is listed, with the
// licence in its own files.
package dependencies

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// licences are the permitted licences, each recognised by a sentence unique to its text; the first match
// counts.
var licences = []struct{ name, sentence string }{
	{"CC0-1.0", "released into the public domain with CC0 1.0"},
	{"LGPL-3.0", "GNU LESSER GENERAL PUBLIC LICENSE Version 3"},
	{"MPL-2.0", "Mozilla Public License, version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"Apache-2.0", "Apache License Version 2.0, January 2004"},
	{"BSD-3-Clause", "be used to endorse or promote products derived from this software"},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
}

// texts are the names of licence files; the first that exists counts. go-ethereum's COPYING applies to its
// programs, and its packages have the other one.
var texts = []string{"COPYING.LESSER", "licenses/ftl.txt", "LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING"}

// TestLicences reads the licence of each module that is in the program.
func TestLicences(t *testing.T) {
	listed := table(t)
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}\t{{.Indirect}}{{end}}{{end}}", "../../../cmd/fees")
	out, err := list.Output()
	require.NoError(t, err)
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 || found[fields[0]] {
			continue
		}
		module, directory := fields[0], fields[1]
		found[module] = true
		require.Contains(t, listed, module, "docs/dependencies.md has no row for it, with what it is for and its licence")
		require.Equal(t, listed[module], licence(t, directory), "the licence of %s in docs/dependencies.md", module)
	}
	require.Greater(t, len(found), 40)
	t.Logf("%d modules", len(found))
	for module := range listed {
		require.True(t, found[module], "docs/dependencies.md lists %s, which is not in the program", module)
	}
}

// licence returns the licence in the files of a module.
func licence(t *testing.T, directory string) string {
	for _, name := range texts {
		text, err := os.ReadFile(filepath.Join(directory, filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		words := strings.Join(strings.Fields(string(text)), " ")
		for _, l := range licences {
			if strings.Contains(words, l.sentence) {
				return l.name
			}
		}
	}
	t.Fatalf("%s: no licence that is known; read it before the module is used", directory)
	return ""
}

// table returns the modules of docs/dependencies.md with their licences.
func table(t *testing.T) map[string]string {
	text, err := os.ReadFile("../../../docs/dependencies.md")
	require.NoError(t, err)
	listed := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([A-Z][A-Za-z0-9.-]+) \\|").FindAllStringSubmatch(string(text), -1) {
		require.NotContains(t, listed, row[1], "listed twice")
		listed[row[1]] = row[2]
	}
	for _, row := range regexp.MustCompile("(?m)^\\| ([A-Z][A-Za-z0-9.-]+) \\| (`.*`) \\|$").FindAllStringSubmatch(string(text), -1) {
		for module := range strings.SplitSeq(strings.Trim(row[2], "`"), "`, `") {
			require.NotContains(t, listed, module, "listed twice")
			listed[module] = row[1]
		}
	}
	return listed
}
