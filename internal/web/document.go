package web

import (
	"cmp"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/feeledger/fees/internal/sys/plain"
)

// document returns a page as a document.
func document(p page) g.Node {
	f := p.common()
	return lines{h.Doctype(h.HTML(h.Lang("en"), attribute("data-theme", f.Theme),
		h.Head(lines{
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("color-scheme"), h.Content(cmp.Or(f.Theme, "light dark"))),
			h.Base(href(f.Base)),
			g.If(f.Refresh > 0, h.Meta(g.Attr("http-equiv", "refresh"), h.Content(strconv.Itoa(f.Refresh)))),
			h.TitleEl(g.Text(f.Title + " · fees")),
			h.Link(h.Rel("icon"), h.Href("icon.svg"), h.Type("image/svg+xml")),
			h.Link(h.Rel("stylesheet"), h.Href("style.css")),
			h.Script(h.Type("module"), h.Src("page.js")),
		}),
		h.Body(lines{
			g.If(!f.Outside, h.A(h.Class("skip"), href(f.Here+"#main"), g.Text("Skip to content"))),
			f.header(),
			f.Bar.node(),
			p.main(),
			f.footer(),
		}),
	))}
}

// body returns the main part of a page: the frame's title above the parts of the page, and the command below them.
func (f *frame) body(parts ...g.Node) g.Node {
	return h.Main(h.ID("main"), f.content(parts...))
}

func (f *frame) content(parts ...g.Node) g.Node {
	return lines{f.titleLine(), f.lead(), lines(parts), f.commandLine()}
}

// header returns the links above a page.
func (f *frame) header() g.Node {
	home := "overview"
	if f.Outside {
		home = "/"
	}
	nav := lines{h.A(h.Class("brand"), href(home), h.Img(h.Src("icon.svg"), h.Alt(""), h.Width("20"), h.Height("20")), g.Text(" fees"),
		g.If(f.Network != "", g.Group{g.Text(" "), h.Span(g.Text(f.Network))}))}
	for _, l := range f.Ledgers {
		nav = append(nav, l.as("ledger"))
	}
	if f.Outside {
		return h.Header(lines{h.Nav(h.Aria("label", "Pages"), nav), f.userForm()})
	}
	nav = append(nav, h.Details(h.Class("menu pages"), h.Summary(g.Text("Menu")), h.Div(h.Class("pop"), f.pageLinks(), f.userForm())), h.Div(h.Class("wide"), f.pageLinks()))
	return h.Header(lines{
		h.Nav(h.Aria("label", "Pages"), nav),
		f.lookupForm(),
		g.If(len(f.Known) > 0, h.DataList(h.ID("known"), g.Map(f.Known, func(name string) g.Node { return h.Option(h.Value(name)) }))),
		h.Details(h.Class("menu find"), h.Summary(g.Text("Look up")), h.Div(h.Class("pop"), f.lookupForm())),
		f.userForm(),
	})
}

func (f *frame) pageLinks() g.Node {
	return each(f.nav(), func(n navigation) g.Node {
		return h.A(href(n.To), g.If(n.Here, h.Aria("current", "page")), current(n.Within && !n.Here), g.Text(n.Text))
	})
}

func (f *frame) lookupForm() g.Node {
	return h.Form(h.Action("lookup"), h.Role("search"),
		h.Label(g.Text("Look up "), h.Input(h.Name("q"), h.Type("search"), h.Placeholder("hash, height, 25-7, label"), g.Attr("size", "24"), h.Required(), g.If(len(f.Known) > 0, h.List("known")), attribute("value", f.Sought))),
		g.Text(" "), h.Button(g.Text("Show")))
}

func (f *frame) userForm() g.Node {
	if f.User == "" {
		return nil
	}
	return h.Form(h.Class("user"), h.Action("/logout"), h.Method("post"), tokenField(f.Token), h.Span(g.Text(f.User)),
		g.If(f.Token != "", g.Group{g.Text(" "), h.Button(g.Text("Log out"))}))
}

// titleLine returns the title of a page and what it offers.
func (f *frame) titleLine() g.Node {
	return h.Div(h.Class("head"), h.H1(g.Text(f.Title)), g.If(f.Bar == nil, linkLine("around", f.Around)), f.acts())
}

// acts returns the actions and downloads beside the title.
func (o *offers) acts() g.Node {
	if o.Top == nil && o.Primary == nil && !o.Paper && o.Downloads == nil {
		return nil
	}
	acts := g.Group{h.Class("acts"), o.Top.node()}
	if o.Paper {
		acts = append(acts, h.Button(h.Type("button"), h.ID("print"), g.Attr("hidden"), g.Text("Print")))
		if o.PDF != nil {
			acts = append(acts, o.PDF.download("button plain"))
		} else {
			acts = append(acts, h.NoScript(h.Small(g.Text("Print with the browser’s menu."))))
		}
	}
	if len(o.Downloads) > 0 {
		acts = append(acts, h.Details(h.Class("menu"), h.Summary(g.Text("Download")), h.Div(h.Class("pop"), each(o.Downloads, func(l link) g.Node { return l.download("") }))))
	}
	if o.Primary != nil {
		acts = append(acts, o.Primary.download("button"))
	}
	return h.Div(acts)
}

func (f *frame) lead() g.Node {
	if f.Lead == "" {
		return nil
	}
	class := "lead"
	if f.Failed {
		class += " bad"
	}
	return h.P(h.Class(class), g.Text(f.Lead))
}

// commandLine returns the command that gives the same as the page.
func (f *frame) commandLine() g.Node {
	return toCopy("command", f.Command, g.Text("Equivalent command"), g.If(f.Made != "", g.Group{g.Text(", after "), h.Code(g.Text(f.Made))}))
}

// footer returns what the page is based on, and its settings.
func (f *frame) footer() g.Node {
	return h.Footer(lines{
		g.If(f.Sealed != "", lines{h.P(h.Class("paper"), g.Text(f.printed())), h.P(g.Text(f.Sealed))}),
		h.Form(h.Action("theme"), hidden("to", f.Here), g.Text("Colours: "), g.Map(themes, func(name string) g.Node {
			return g.Group{h.Button(h.Name("set"), h.Value(name), g.If(name == f.shade(), h.Aria("pressed", "true")), g.Text(name)), g.Text(" ")}
		})),
		g.If(!f.Outside, f.keys()),
	})
}

// keys lists the keys of a page.
func (f *frame) keys() g.Node {
	list := g.Group{h.Class("keys")}
	add := func(meaning string, keys ...string) {
		names := g.Group{}
		for i, key := range keys {
			names = append(names, g.If(i > 0, g.Text(" ")), h.Kbd(g.Text(key)))
		}
		list = append(list, h.Dt(names), h.Dd(g.Text(meaning)))
	}
	add("Look up", "/")
	add("These keys", "?")
	for _, n := range f.nav() {
		list = append(list, h.Dt(h.Data("key", n.Key), h.Data("to", plain.URL(n.To)), h.Kbd(g.Text("g")), g.Text(" "), h.Kbd(g.Text(n.Key))), h.Dd(g.Text(n.Text)))
	}
	add("Previous, next period", "[", "]")
	add("Choose the period", "p")
	add("Next, previous row", "j", "k")
	add("Open the row", "Enter")
	add("Close a menu", "Esc")
	return h.Details(h.ID("keys"), h.Summary(g.Text("Keys")), lines{
		h.Dl(list),
		h.P(g.Text("Keys need JavaScript and do nothing while you type in a field. "), h.Label(g.Attr("hidden"), h.Input(h.Type("checkbox"), h.ID("nokeys")), g.Text(" Turn keys off"))),
	})
}

// printed returns the page's title, period and time zone for the foot of each sheet of paper, which lacks the view bar.
func (f *frame) printed() string {
	sc, text := f.Scope, f.Title
	if sc == nil {
		return text
	}
	if sc.Period == "" || !strings.Contains(text, sc.Period) {
		text += ", " + sc.name()
	}
	return text + ", " + cmp.Or(plain.Line(sc.Zone), "UTC")
}
