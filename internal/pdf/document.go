package pdf

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// Size is a paper size.
type Size string

// The sizes.
const (
	A4     Size = "a4"
	Letter Size = "letter"
)

// Sizes lists the names of the sizes.
func Sizes() []string { return []string{string(A4), string(Letter)} }

// dimensions returns the width and height of a page, in thousandths of a point.
func (s Size) dimensions() (width, height int, err error) {
	switch s {
	case A4:
		return 595_276, 841_890, nil
	case Letter:
		return 612_000, 792_000, nil
	}
	return 0, 0, fmt.Errorf("paper size %q must be %s", string(s), strings.Join(Sizes(), " or "))
}

// Options describe a document.
type Options struct {
	Size     Size
	Title    string
	Portrait bool     // a wide table has smaller letters, and is not on pages in landscape
	Footer   []string // lines at the foot of each page; the page number is added to the first one
	Font     *Font    // shows the characters that the document's own fonts lack; nil for none
}

// Lengths, in thousandths of a point.
const (
	margin      = 42_000
	bodySize    = 9_000
	footerSize  = 7_000
	headingSize = 12_000
	titleSize   = 16_000
)

// Limits of a document. They also bound its size in bytes.
const (
	maxPages          = 5_000
	maxFooterLines    = 6
	maxHeadingLines   = 6
	maxParagraphLines = 500
)

// leading returns the distance of two lines.
func leading(size int) int { return size * 13 / 10 }

// Document is a document under construction. Its first error is returned by Close, and nothing is written after it.
type Document struct {
	options       Options
	width, height int // of a page in portrait
	objects       *objects
	regular, bold *face
	extra         *face // shows what they lack; nil for none
	lacking       lacking

	catalog, pages, tree, root, total reference
	structure                         *element
	page                              *page
	all                               []reference // the pages
	marks                             []reference // for each page, the elements of its marked content
	landscape                         bool        // of the next page
	table                             *Table      // whose header the next page repeats
	begun                             bool        // the title is written
}

// page is the current page.
type page struct {
	self          reference
	width, height int
	y             int // where the next line starts
	bottom        int
	content       bytes.Buffer
	marks         []reference
}

// New starts a document.
func New(w io.Writer, o Options) (*Document, error) {
	width, height, err := o.Size.dimensions()
	if err != nil {
		return nil, err
	}
	regular, err := regularFont()
	if err != nil {
		return nil, err
	}
	bold, err := boldFont()
	if err != nil {
		return nil, err
	}
	d := &Document{options: o, width: width, height: height, objects: newObjects(w)}
	next := d.objects.reserve
	d.catalog, d.pages, d.tree, d.root, d.total = next(), next(), next(), next(), next()
	d.regular, d.bold = newFace(regular, "F1", "GoRegular", next()), newFace(bold, "F2", "GoBold", next())
	if o.Font != nil {
		d.extra = newFace(&o.Font.trueType, "F3", "Extra", next())
	}
	for _, f := range []*face{d.regular, d.bold} {
		f.extra, f.lacking = d.extra, &d.lacking
	}
	d.structure = &element{self: d.root, parent: d.tree, kind: "Document"}
	if len(o.Footer) > maxFooterLines {
		d.options.Footer = o.Footer[:maxFooterLines]
	}
	return d, nil
}

// inner returns the width between the margins of the current page.
func (d *Document) inner() int {
	d.needPage()
	return d.page.width - 2*margin
}

// needPage starts a page if there is none.
func (d *Document) needPage() {
	if d.page != nil {
		return
	}
	if len(d.all) == maxPages && d.objects.err == nil {
		d.objects.err = fmt.Errorf("the PDF file would have more than %d pages; choose a shorter period or another format", maxPages)
	}
	p := &page{self: d.objects.reserve(), width: d.width, height: d.height}
	if d.landscape {
		p.width, p.height = p.height, p.width
	}
	p.y = p.height - margin
	p.bottom = margin + max(1, len(d.options.Footer))*leading(footerSize) + leading(footerSize)
	d.page = p
	if d.table != nil {
		d.table.repeat()
	}
}

// need starts a new page unless a height fits on the current one.
func (d *Document) need(height int) {
	d.needPage()
	if d.page.y-height < d.page.bottom {
		d.endPage()
		d.needPage()
	}
}

// skip leaves space, except at the top of a page.
func (d *Document) skip(height int) {
	d.needPage()
	if d.page.y < d.page.height-margin {
		d.page.y -= height
	}
}

// rule draws a horizontal line.
func (d *Document) rule(x, y, width int) {
	d.artifact("")
	fmt.Fprintf(&d.page.content, "0.5 w %s %s m %s %s l S\n", points(x), points(y), points(x+width), points(y))
	d.unmark()
}

// line writes an element of wrapped lines.
func (d *Document) line(kind string, f *face, size int, text string, limit int) {
	lines, _ := f.wrap(text, size, d.inner(), limit)
	if len(lines) == 0 {
		return
	}
	e := d.element(kind, d.root)
	var on *page
	for _, one := range lines {
		if d.page.y-leading(size) < d.page.bottom {
			if on != nil {
				d.unmark()
			}
			d.endPage()
			d.needPage()
		}
		if on != d.page {
			d.mark(e)
			on = d.page
		}
		d.page.y -= leading(size)
		d.show(f, size, margin, d.page.y, one)
	}
	d.unmark()
	d.end(e)
	d.structure.adopt(e)
}

// begin writes the title, once.
func (d *Document) begin() {
	if !d.begun {
		d.begun = true
		d.line("H1", d.bold, titleSize, d.options.Title, maxHeadingLines)
	}
}

// Heading writes the heading of a section.
func (d *Document) Heading(text string) {
	d.begin()
	d.skip(leading(headingSize))
	d.need(leading(headingSize) * 5) // with the first lines of its section
	d.line("H2", d.bold, headingSize, text, maxHeadingLines)
	d.skip(4_000)
}

// Paragraph writes a paragraph.
func (d *Document) Paragraph(text string) {
	d.begin()
	d.skip(3_000)
	d.line("P", d.regular, bodySize, text, maxParagraphLines)
}

// Lacking returns texts of the document, so far, with characters that its fonts cannot show: each of these is a box. It
// returns at most a hundred of them.
func (d *Document) Lacking() []string {
	for _, line := range d.options.Footer { // the current page gets it at its end
		d.regular.note(clean(line))
	}
	return d.lacking.texts
}

// Lengths of a frame and of facts, in thousandths of a point.
const (
	framePadding = 6_000
	nameWidth    = 90_000
)

// Frame writes a paragraph in a frame, together on a page.
func (d *Document) Frame(text string) {
	d.begin()
	d.skip(leading(bodySize))
	lines, _ := d.bold.wrap(text, bodySize, d.inner()-2*framePadding, maxHeadingLines)
	height := len(lines)*leading(bodySize) + 2*framePadding
	d.need(height)
	d.artifact("")
	fmt.Fprintf(&d.page.content, "1 w %s %s %s %s re S\n", points(margin), points(d.page.y-height), points(d.inner()), points(height))
	d.unmark()
	e := d.element("P", d.root)
	d.mark(e)
	y := d.page.y - framePadding
	for _, line := range lines {
		y -= leading(bodySize)
		d.show(d.bold, bodySize, margin+framePadding, y+2_000, line)
	}
	d.unmark()
	d.end(e)
	d.structure.adopt(e)
	d.page.y -= height
}

// Fact writes a name with its value beside it, which may have several lines.
func (d *Document) Fact(name, value string) {
	d.begin()
	d.skip(1_500)
	lines, _ := d.regular.wrap(value, bodySize, d.inner()-nameWidth, maxHeadingLines)
	d.need(max(1, len(lines)) * leading(bodySize))
	e := d.element("P", d.root)
	d.mark(e)
	y := d.page.y - leading(bodySize)
	d.show(d.bold, bodySize, margin, y, d.bold.cut(name, bodySize, nameWidth-gap)+" ")
	for i, line := range lines {
		d.show(d.regular, bodySize, margin+nameWidth, y-i*leading(bodySize), line)
	}
	d.unmark()
	d.end(e)
	d.structure.adopt(e)
	d.page.y -= max(1, len(lines)) * leading(bodySize)
}

// NewPage ends the current page, if it has any content.
func (d *Document) NewPage() {
	if d.page != nil && d.page.y < d.page.height-margin {
		d.endPage()
	}
}

// Signatures writes a place to sign for each of some roles, together on a page.
func (d *Document) Signatures(roles ...string) {
	const height = 34_000
	d.begin()
	d.skip(leading(bodySize))
	d.need(len(roles) * height)
	for _, role := range roles {
		d.page.y -= height
		wide := d.inner() * 6 / 10
		e := d.element("P", d.root)
		d.mark(e)
		d.show(d.regular, bodySize, margin, d.page.y, clean(role)+" ")
		d.show(d.regular, bodySize, margin+wide, d.page.y, "Date ")
		d.unmark()
		d.end(e)
		d.structure.adopt(e)
		for _, one := range []struct {
			text  string
			x, to int
		}{{role, margin, margin + wide - 12_000}, {"Date", margin + wide, margin + d.inner()}} {
			x := one.x + d.regular.width(clean(one.text)+"  ", bodySize)
			d.rule(x, d.page.y-2_000, one.to-x)
		}
	}
}

// endPage writes the current page.
func (d *Document) endPage() {
	p := d.page
	d.foot(len(d.all) + 1)
	d.page = nil
	content, marks := d.objects.reserve(), d.objects.reserve()
	d.objects.stream(content, "", p.content.Bytes())
	d.objects.put(p.self, fmt.Sprintf("<</Type/Page/Parent %v/MediaBox[0 0 %s %s]/Contents %v/StructParents %d/Tabs/S/Resources<</Font<<%s>>/XObject<</N %v>>>>>>",
		d.pages, points(p.width), points(p.height), content, len(d.all), d.fonts(), d.total))
	d.objects.put(marks, fmt.Sprint(p.marks))
	d.all, d.marks = append(d.all, p.self), append(d.marks, marks)
}

// faces returns the document's fonts.
func (d *Document) faces() []*face {
	if d.extra == nil {
		return []*face{d.regular, d.bold}
	}
	return []*face{d.regular, d.bold, d.extra}
}

// fonts returns the fonts as resources of a page.
func (d *Document) fonts() string {
	var list strings.Builder
	for _, f := range d.faces() {
		fmt.Fprintf(&list, "/%s %v", f.name, f.self)
	}
	return list.String()
}

// foot writes the footer of the current page. The number of pages is an object that Close writes.
func (d *Document) foot(number int) {
	p := d.page
	d.artifact("/Type/Pagination/Subtype/Footer")
	defer d.unmark()
	y := margin + (max(1, len(d.options.Footer))-1)*leading(footerSize)
	of := fmt.Sprintf("page %d of ", number)
	space := d.regular.width(of+"00000", footerSize)
	x := p.width - margin - space
	d.show(d.regular, footerSize, x, y, of)
	fmt.Fprintf(&p.content, "q 1 0 0 1 %s %s cm/N Do Q\n", points(x+d.regular.width(of, footerSize)), points(y))
	width := p.width - 2*margin
	for i, line := range d.options.Footer {
		room := width
		if i == 0 {
			room -= space + footerSize
		}
		d.show(d.regular, footerSize, margin, y, d.regular.cut(line, footerSize, room))
		y -= leading(footerSize)
	}
}

// Close writes the rest of the document.
func (d *Document) Close() error {
	d.begin()
	d.needPage()
	d.endPage()
	o := d.objects
	if o.err != nil {
		return o.err
	}
	number := fmt.Sprint(len(d.all))
	o.stream(d.total, fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 -3 100 10]/Resources<</Font<</%s %v>>>>", d.regular.name, d.regular.self),
		fmt.Appendf(nil, "BT/%s %s Tf%s ET\n", d.regular.name, points(footerSize), d.regular.encode(number)))
	for _, f := range d.faces() {
		f.write(o)
	}
	o.put(d.pages, fmt.Sprintf("<</Type/Pages/Count %s/Kids%v>>", number, d.all))
	d.end(d.structure)
	parents, metadata, info, gray := o.reserve(), o.reserve(), o.reserve(), o.reserve()
	var nums strings.Builder
	for i, marks := range d.marks {
		fmt.Fprintf(&nums, "%d %v ", i, marks)
	}
	o.put(parents, fmt.Sprintf("<</Nums[%s]>>", strings.TrimSpace(nums.String())))
	o.put(d.tree, fmt.Sprintf("<</Type/StructTreeRoot/K %v/ParentTree %v/ParentTreeNextKey %s>>", d.root, parents, number))
	o.plainStream(metadata, "/Type/Metadata/Subtype/XML", d.metadata())
	o.stream(gray, "/N 1", grayProfile())
	o.put(info, fmt.Sprintf("<</Title%s>>", textString(d.options.Title)))
	o.put(d.catalog, fmt.Sprintf("<</Type/Catalog/Pages %v/Lang(en)/MarkInfo<</Marked true>>/StructTreeRoot %v/Metadata %v/ViewerPreferences<</DisplayDocTitle true>>/OutputIntents[<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(Gray)/Info(Gray, gamma 2.2)/DestOutputProfile %v>>]>>", d.pages, d.tree, metadata, gray))
	return o.close(d.catalog, info)
}

// metadata returns the document's description in XMP: its title, and that it is PDF/A-2b and PDF/UA-1. PDF/A requires
// a schema of what it does not know itself, the identification of PDF/UA.
func (d *Document) metadata() []byte {
	var title bytes.Buffer
	xml.EscapeText(&title, []byte(clean(d.options.Title))) // a buffer does not fail
	return []byte("<?xpacket begin=\"\ufeff\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">` +
		`<dc:title><rdf:Alt><rdf:li xml:lang="x-default">` + title.String() + `</rdf:li></rdf:Alt></dc:title></rdf:Description>` +
		`<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">` +
		`<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance></rdf:Description>` +
		`<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"><pdfuaid:part>1</pdfuaid:part></rdf:Description>` +
		`<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"` +
		` xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">` +
		`<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource"><pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema>` +
		`<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI><pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>` +
		`<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource"><pdfaProperty:name>part</pdfaProperty:name>` +
		`<pdfaProperty:valueType>Integer</pdfaProperty:valueType><pdfaProperty:category>internal</pdfaProperty:category>` +
		`<pdfaProperty:description>part of ISO 14289</pdfaProperty:description></rdf:li></rdf:Seq></pdfaSchema:property>` +
		"</rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"r\"?>")
}
