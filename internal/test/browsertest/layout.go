package browsertest

import "fmt"

// Overhang is what makes the page wider than the screen: it is not to scroll sideways.
func (b *Tab) Overhang() []string {
	b.t.Helper()
	return Ask[[]string](b, `(() => {
		const page = document.scrollingElement;
		if (page.scrollWidth <= page.clientWidth) return [];
		const out = [...document.querySelectorAll("main *, header *, footer *")].filter((e) =>
			(e.getBoundingClientRect().right > page.clientWidth + 1 || e.scrollWidth > page.clientWidth && getComputedStyle(e).overflowX === "visible") && !e.closest(".box, svg"));
		return [page.scrollWidth + " px on a screen of " + page.clientWidth, ...out.slice(0, 5).map((e) => e.outerHTML.slice(0, 150))];
	})()`)
}

// stops are what the Tab key is to lead to, in the order in which they are read.
const stops = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')].filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0)`

// Walk goes over the whole page with the Tab key, and says what is wrong: what is left out or comes
// out of turn, what does not show that it has the focus, and what has it where nobody sees it.
func (b *Tab) Walk() (count int, wrong []string) {
	b.t.Helper()
	count = Ask[int](b, stops+`.length`)
	for i := range count {
		b.Key("\t")
		if what := Ask[string](b, fmt.Sprintf(`(() => {
			const want = %s[%d], has = document.activeElement, name = (e) => e.outerHTML.slice(0, 120);
			if (has !== want) return "after the stop before, the focus is at " + name(has) + ", and not at " + name(want);
			const style = getComputedStyle(has), box = has.getBoundingClientRect();
			if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) return "no focus is to be seen at " + name(has);
			if (box.bottom < 1 || box.top > innerHeight - 1 || box.right < 1 || box.left > innerWidth - 1) return "the focus is off the screen at " + name(has);
			return "";
		})()`, stops, i)); what != "" {
			wrong = append(wrong, what)
		}
	}
	return count, wrong
}
