package browsertest

import "fmt"

// Overhang returns the elements that make the page wider than the screen: pages must not scroll sideways.
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

// Outside returns the amounts and verdicts in tables that are not entirely on the screen's width, cannot be scrolled to, or
// cannot be seen.
func (b *Tab) Outside() []string {
	b.t.Helper()
	return Ask[[]string](b, `(() => {
		const wide = document.scrollingElement.clientWidth;
		return [...document.querySelectorAll("main table :is(td, th):is(.figure, .verdict)")].filter((e) => e.textContent !== "").filter((e) => {
			if (e.tagName === "TH" && e.clientWidth < 2) return false; // for screen readers only: its row is a card
			const scrolls = e.closest(".box"); // beside its first column, except on a phone
			if (wide >= 480 && scrolls && getComputedStyle(scrolls).overflowX === "auto" && getComputedStyle(e.parentElement.cells[0]).position === "sticky") return false;
			const {left, right, width} = e.getBoundingClientRect();
			if (!e.checkVisibility() || width === 0 || left < -0.5 || right > wide + 0.5 || e.scrollWidth > e.clientWidth + 1) return true;
			for (let o = e.parentElement; o; o = o.parentElement) {
				const box = o.getBoundingClientRect();
				if (getComputedStyle(o).overflowX !== "visible" && (left < box.left - 0.5 || right > box.right + 0.5)) return true;
			}
			return false;
		}).slice(0, 5).map((e) => wide + " px: " + Math.round(e.getBoundingClientRect().right) + ": " + e.outerHTML.slice(0, 150));
	})()`)
}

// stops are the elements that the Tab key must reach, in reading order.
const stops = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')].filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0)`

// Walk moves through the whole page with the Tab key, and returns the problems: elements that are skipped or
// out of order, without a visible focus, or focused while hidden.
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
