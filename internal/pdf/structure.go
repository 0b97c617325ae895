package pdf

import (
	"fmt"
	"strings"
)

// element is a structure element under construction.
type element struct {
	self, parent reference
	kind         string
	attributes   string
	page         reference // of the marked content in kids, 0 without
	kids         []string
}

// element starts an element. It is written by end.
func (d *Document) element(kind string, parent reference) *element {
	return &element{self: d.objects.reserve(), parent: parent, kind: kind}
}

// end writes an element.
func (d *Document) end(e *element) {
	page := ""
	if e.page != 0 {
		page = fmt.Sprintf("/Pg %v", e.page)
	}
	d.objects.put(e.self, fmt.Sprintf("<</Type/StructElem/S/%s/P %v%s%s/K[%s]>>", e.kind, e.parent, page, e.attributes, strings.Join(e.kids, " ")))
}

// adopt adds a child.
func (e *element) adopt(child *element) { e.kids = append(e.kids, child.self.String()) }

// mark starts marked content of an element on the current page.
func (d *Document) mark(e *element) {
	p := d.page
	id := len(p.marks)
	p.marks = append(p.marks, e.self)
	switch e.page {
	case 0, p.self:
		e.page = p.self
		e.kids = append(e.kids, fmt.Sprint(id))
	default: // continued from an earlier page
		e.kids = append(e.kids, fmt.Sprintf("<</Type/MCR/Pg %v/MCID %d>>", p.self, id))
	}
	fmt.Fprintf(&p.content, "/%s<</MCID %d>>BDC\n", e.kind, id)
}

// artifact starts content that is not part of the structure. properties are those of page furniture, or "".
func (d *Document) artifact(properties string) {
	if properties == "" {
		d.page.content.WriteString("/Artifact BMC\n")
		return
	}
	fmt.Fprintf(&d.page.content, "/Artifact<<%s>>BDC\n", properties)
}

// unmark ends marked content or an artifact.
func (d *Document) unmark() { d.page.content.WriteString("EMC\n") }
