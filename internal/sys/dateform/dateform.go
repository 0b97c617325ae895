// Package dateform reads forms of dates as people write them, such as dd.mm.yyyy HH:MM.
package dateform

import (
	"fmt"
	"regexp"
	"strings"
)

// parts are the letters of a form, longer ones first. Fixed is the layout of a part directly adjacent to another, as in
// yyyymmdd.
var parts = []struct{ letters, layout, fixed, part string }{
	{"yyyy", "2006", "2006", "year"}, {"yy", "06", "06", "year"}, {"mmm", "Jan", "Jan", "month"}, {"mm", "1", "01", "month"}, {"dd", "2", "02", "day"},
	{"HH", "15", "15", "hour"}, {"hh", "15", "15", "hour"}, {"MM", "04", "04", "minute"}, {"SS", "05", "05", "second"},
	{"m", "1", "1", "month"}, {"d", "2", "2", "day"},
}

// stated matches parts that a form may omit because each date states them.
var stated = regexp.MustCompile(`(?i)(?:\s*(?:AM/PM|AM|PM|UTC|GMT|Z))+$`)

// Layout returns the layout of package time for a form: a combination of yyyy or yy, mm, m or mmm (name), dd or d, HH, MM
// and SS, with characters between them. The error begins with the form.
func Layout(form string) (string, error) {
	var layout strings.Builder
	has := map[string]bool{}
	touches := false
next:
	for rest := strings.ReplaceAll(stated.ReplaceAllString(form, ""), ", ", " "); rest != ""; {
		for _, p := range parts {
			if !strings.HasPrefix(rest, p.letters) {
				continue
			}
			if has[p.part] {
				return "", fmt.Errorf("%q contains the %s twice", form, p.part)
			}
			has[p.part] = true
			rest = rest[len(p.letters):]
			if touches = touches || rest != "" && strings.ContainsRune("ymdHMS", rune(rest[0])); touches {
				layout.WriteString(p.fixed)
			} else {
				layout.WriteString(p.layout)
			}
			continue next
		}
		if !strings.ContainsRune(" .,:/-T", rune(rest[0])) {
			return "", fmt.Errorf("%q is invalid. Combine yyyy, mm, dd, HH, MM and SS, such as dd.mm.yyyy HH:MM, or use unix, unix-ms or excel.", form)
		}
		layout.WriteByte(rest[0])
		touches = false
		rest = rest[1:]
	}
	if !has["year"] || !has["month"] || !has["day"] {
		return "", fmt.Errorf("%q lacks the year, month or day. Include yyyy, mm and dd.", form)
	}
	return layout.String(), nil
}
