package web

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
)

// document returns a page as a document.
func document(p page) g.Node {
	f := p.common()
	return lines{markup.Document(markup.El("html", markup.Attr("lang", "en"), markup.Optional("data-theme", f.Theme),
		markup.El("head", lines{
			markup.El("meta", markup.Attr("charset", "utf-8")),
			markup.El("meta", markup.Attr("name", "viewport"), markup.Attr("content", "width=device-width, initial-scale=1")),
			markup.El("meta", markup.Attr("name", "color-scheme"), markup.Attr("content", cmp.Or(f.Theme, "light dark"))),
			markup.El("base", href(f.Base)),
			g.If(f.Refresh > 0, markup.El("meta", markup.Attr("http-equiv", "refresh"), markup.Attr("content", strconv.Itoa(f.Refresh)))),
			markup.El("title", markup.Text(f.Title+" · fees")),
			markup.El("link", markup.Attr("rel", "icon"), markup.Attr("href", "icon.svg"), markup.Attr("type", "image/svg+xml")),
			markup.El("link", markup.Attr("rel", "stylesheet"), markup.Attr("href", "style.css")),
			markup.El("script", markup.Attr("type", "module"), markup.Attr("src", "page.js")),
		}),
		markup.El("body", lines{
			g.If(!f.Outside, markup.El("a", markup.Attr("class", "skip"), href(f.Here+"#main"), markup.Text("Skip to content"))),
			f.header(),
			f.Bar.node(),
			f.carrying(p.main()),
			f.footer(),
		}),
	))}
}

// body returns the main part of a page: the frame's title above the parts of the page, and the command below them.
func (f *frame) body(parts ...g.Node) g.Node {
	return markup.El("main", markup.Attr("id", "main"), f.content(parts...))
}

func (f *frame) content(parts ...g.Node) g.Node {
	return lines{f.titleLine(), f.lead(), f.unkept(), lines(parts), f.commandLine()}
}

// header returns the links above a page.
func (f *frame) header() g.Node {
	home := "overview"
	if f.Outside {
		home = "/"
	}
	nav := lines{markup.El("a", markup.Attr("class", "brand"), href(home), markup.El("img", markup.Attr("src", "icon.svg"), markup.Attr("alt", ""), markup.Attr("width", "20"), markup.Attr("height", "20")), markup.Text(" fees"),
		g.If(f.Network != "", g.Group{markup.Text(" "), markup.El("span", markup.Text(f.Network))}))}
	for _, l := range f.Ledgers {
		nav = append(nav, l.as("ledger"))
	}
	if f.Outside {
		return markup.El("header", lines{markup.El("nav", markup.Attr("aria-label", "Pages"), nav), f.userForm()})
	}
	nav = append(nav, markup.El("details", markup.Attr("class", "menu pages"), markup.El("summary", markup.Text("Menu")), markup.El("div", markup.Attr("class", "pop"), f.pageLinks(), f.userForm())), markup.El("div", markup.Attr("class", "wide"), f.pageLinks()))
	return markup.El("header", lines{
		markup.El("nav", markup.Attr("aria-label", "Pages"), nav),
		f.lookupForm(),
		g.If(len(f.Known) > 0, markup.El("datalist", markup.Attr("id", "known"), g.Map(f.Known, func(name string) g.Node { return markup.El("option", markup.Attr("value", name)) }))),
		markup.El("details", markup.Attr("class", "menu find"), markup.El("summary", markup.Text("Look up")), markup.El("div", markup.Attr("class", "pop"), f.lookupForm())),
		f.userForm(),
	})
}

func (f *frame) pageLinks() g.Node {
	return each(f.nav(), func(n navigation) g.Node {
		return markup.El("a", href(n.To), g.If(n.Here, markup.Attr("aria-current", "page")), current(n.Within && !n.Here), markup.Text(n.Text))
	})
}

func (f *frame) lookupForm() g.Node {
	return markup.El("form", markup.Attr("action", "lookup"), markup.Attr("role", "search"), keptFields(f.lookedFrom()),
		markup.El("label", markup.Text("Look up "), markup.El("input", markup.Attr("name", "q"), markup.Attr("type", "search"), markup.Attr("placeholder", "hash, amount, date, label"), markup.Attr("size", "24"), markup.Attr("required"), g.If(len(f.Known) > 0, markup.Attr("list", "known")), markup.Optional("value", f.Sought))),
		markup.Text(" "), markup.El("button", markup.Text("Show")))
}

// lookedFrom returns what the page is about: a look-up searches there.
func (f *frame) lookedFrom() []option {
	about := f.about()
	if about == nil {
		return nil
	}
	values := about.values(nil)
	values.Del("partial")
	return optionsOf(values)
}

func (f *frame) userForm() g.Node {
	if f.User == "" {
		return nil
	}
	return markup.El("form", markup.Attr("class", "user"), markup.Attr("action", "/logout"), markup.Attr("method", "post"), tokenField(f.Token), markup.El("span", markup.Text(f.User)),
		g.If(f.Token != "", g.Group{markup.Text(" "), markup.El("button", markup.Text("Log out"))}))
}

// titleLine returns the title of a page and what it offers.
func (f *frame) titleLine() g.Node {
	return markup.El("div", markup.Attr("class", "head"), markup.El("h1", markup.Text(f.Title)), g.If(f.Bar == nil, linkLine("around", f.Around)), f.acts())
}

// acts returns the actions and downloads beside the title.
func (o *offers) acts() g.Node {
	if o.Top == nil && o.Primary == nil && !o.Paper && o.Downloads == nil {
		return nil
	}
	acts := g.Group{markup.Attr("class", "acts"), o.Top.node()}
	if o.Paper {
		acts = append(acts, markup.El("button", markup.Attr("type", "button"), markup.Attr("id", "print"), markup.Attr("hidden"), markup.Text("Print")))
		if o.PDF != nil {
			acts = append(acts, o.PDF.download("button plain"))
		} else {
			acts = append(acts, markup.El("noscript", markup.El("small", markup.Text("Print with the browser’s menu."))))
		}
	}
	if len(o.Downloads) > 0 {
		acts = append(acts, markup.El("details", markup.Attr("class", "menu"), markup.El("summary", markup.Text("Download")), markup.El("div", markup.Attr("class", "pop"), each(o.Downloads, func(l link) g.Node { return l.download("") }))))
	}
	if o.Primary != nil {
		acts = append(acts, o.Primary.download("button"))
	}
	return markup.El("div", acts)
}

func (f *frame) lead() g.Node {
	if f.Lead == "" {
		return nil
	}
	class := "lead"
	if f.Failed {
		class += " bad"
	}
	return markup.El("p", markup.Attr("class", class), markup.Text(f.Lead))
}

// commandLine returns the command that gives the same as the page.
func (f *frame) commandLine() g.Node {
	return toCopy("command", f.Command, markup.Text("Equivalent command"), g.If(f.Made != "", g.Group{markup.Text(", after "), markup.El("code", markup.Text(f.Made))}))
}

// footer returns what the page is based on, and its settings.
func (f *frame) footer() g.Node {
	return markup.El("footer", lines{
		g.If(f.Sealed != "", lines{markup.El("p", markup.Attr("class", "paper"), markup.Text(f.printed())), markup.El("p", markup.Text(f.Sealed))}),
		markup.El("form", markup.Attr("action", "theme"), hidden("to", f.Here), markup.Text("Colours: "), g.Map(themes, func(name string) g.Node {
			return g.Group{markup.El("button", markup.Attr("name", "set"), markup.Attr("value", name), g.If(name == f.shade(), markup.Attr("aria-pressed", "true")), markup.Text(name)), markup.Text(" ")}
		})),
		g.If(!f.Outside, lines{
			markup.El("p", markup.Attr("class", "tools"), markup.El("a", href("api?"+url.Values{"view": {f.Here}}.Encode()), markup.Text("API")), markup.Text(" "), markup.El("button", markup.Attr("type", "button"), markup.Attr("id", "showkeys"), markup.Attr("hidden"), markup.Text("Keys"))),
			f.keys(),
		}),
	})
}

// keys lists the keys of a page.
func (f *frame) keys() g.Node {
	list := g.Group{markup.Attr("class", "keys")}
	add := func(meaning string, keys ...string) {
		names := g.Group{}
		for i, key := range keys {
			names = append(names, g.If(i > 0, markup.Text(" ")), markup.El("kbd", markup.Text(key)))
		}
		list = append(list, markup.El("dt", names), markup.El("dd", markup.Text(meaning)))
	}
	add("Look up", "/")
	add("These keys", "?")
	for _, n := range f.nav() {
		list = append(list, markup.El("dt", markup.Attr("data-key", n.Key), markup.Attr("data-to", plain.URL(n.To)), markup.El("kbd", markup.Text("g")), markup.Text(" "), markup.El("kbd", markup.Text(n.Key))), markup.El("dd", markup.Text(n.Text)))
	}
	add("Previous, next period", "[", "]")
	add("Choose the period", "p")
	add("Next, previous row", "j", "k")
	add("Open the row", "Enter")
	add("Close a menu", "Esc")
	return markup.El("dialog", markup.Attr("id", "keys"), markup.Attr("aria-labelledby", "keysname"), lines{
		markup.El("h2", markup.Attr("id", "keysname"), markup.Text("Keys")),
		markup.El("dl", list),
		markup.El("p", markup.Text("Keys do nothing while you type in a field. "), markup.El("label", markup.Attr("hidden"), markup.El("input", markup.Attr("type", "checkbox"), markup.Attr("id", "nokeys")), markup.Text(" Turn keys off"))),
		markup.El("form", markup.Attr("method", "dialog"), markup.El("button", markup.Text("Close"))),
	})
}

// printed returns the page's title, period and time zone for the foot of each sheet of paper, which lacks the view bar.
func (f *frame) printed() string {
	sc, text := f.Scope, f.Title
	if sc == nil {
		return text
	}
	if sc.Period == "" || !strings.Contains(text, sc.Period) && !strings.Contains(text, sc.name()) {
		text += ", " + sc.name()
	}
	return text + ", " + cmp.Or(plain.Line(sc.Zone), "UTC")
}
