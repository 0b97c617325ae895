package table

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/internal/sys/plain"
)

// maxSheetName is the maximum length of a sheet's name, in characters.
const maxSheetName = 31

// sheetNames returns unique names that a workbook accepts: up to 31 characters, without []:*?/\ and without
// an apostrophe at either end.
func sheetNames(sheets []*Sheet) []string {
	taken := map[string]bool{"history": true} // reserved by Excel
	names := make([]string, len(sheets))
	for i, s := range sheets {
		names[i] = sheetName(s.Name, "")
		for n := 2; taken[strings.ToLower(names[i])]; n++ { // names must differ in more than case
			names[i] = sheetName(s.Name, fmt.Sprintf(" %d", n))
		}
		taken[strings.ToLower(names[i])] = true
	}
	return names
}

func sheetName(name, suffix string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\`, r) || r > 0xffff {
			return '_'
		}
		return r
	}, plain.Line(name))
	runes := []rune(strings.Trim(name, "' "))
	runes = runes[:min(len(runes), maxSheetName-len(suffix))]
	name = strings.TrimRight(string(runes), "' ")
	if name == "" {
		name = "sheet"
	}
	return name + suffix
}
