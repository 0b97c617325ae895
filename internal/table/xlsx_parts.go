package table

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// The parts of a workbook besides its rows.
//
// Source: ECMA-376, Office Open XML File Formats, part 1.

const (
	openXML       = "http://schemas.openxmlformats.org/"
	relationsXML  = openXML + "package/2006/relationships"
	documentXML   = openXML + "officeDocument/2006/relationships"
	spreadsheets  = openXML + "spreadsheetml/2006/main"
	contentPrefix = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

const packageRelations = `<Relationships xmlns="` + relationsXML + `">` +
	`<Relationship Id="rId1" Target="xl/workbook.xml" Type="` + documentXML + `/officeDocument"/>` +
	`<Relationship Id="rId2" Target="docProps/core.xml" Type="` + relationsXML + `/metadata/core-properties"/></Relationships>`

// each joins the texts of elements.
func each[T any](list []T, text func(i int, x T) string) string {
	var all strings.Builder
	for i, x := range list {
		all.WriteString(text(i, x))
	}
	return all.String()
}

// escaped returns text in XML.
func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // to memory
	return out.String()
}

func (b *workbook) contentTypes() string {
	override := func(part, kind string) string {
		return `<Override PartName="/` + part + `" ContentType="` + kind + `+xml"/>`
	}
	return `<Types xmlns="` + openXML + `package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
		override("docProps/core.xml", "application/vnd.openxmlformats-package.core-properties") +
		override("xl/styles.xml", contentPrefix+"styles") + override("xl/workbook.xml", contentPrefix+"sheet.main") +
		each(b.Sheets, func(_ int, s *bookSheet) string { return override(s.part(), contentPrefix+"worksheet") }) + `</Types>`
}

func (b *workbook) properties() string {
	return `<cp:coreProperties xmlns:cp="` + openXML + `package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:dcmitype="http://purl.org/dc/dcmitype/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
		`<dc:title>` + escaped(b.Title) + `</dc:title><dc:creator>fees</dc:creator><cp:lastModifiedBy>fees</cp:lastModifiedBy>` +
		`<dcterms:created xsi:type="dcterms:W3CDTF">2000-01-01T00:00:00Z</dcterms:created><dcterms:modified xsi:type="dcterms:W3CDTF">2000-01-01T00:00:00Z</dcterms:modified></cp:coreProperties>`
}

func (b *workbook) relations() string {
	return `<Relationships xmlns="` + relationsXML + `">` + each(b.Sheets, func(_ int, s *bookSheet) string {
		return fmt.Sprintf(`<Relationship Id="rId%d" Target="/%s" Type="%s/worksheet"/>`, s.Number, s.part(), documentXML)
	}) + `<Relationship Id="styles" Target="/xl/styles.xml" Type="` + documentXML + `/styles"/></Relationships>`
}

// firstFormat is the number of the first format that is not built in.
const firstFormat = 164

func (b *workbook) styles() string {
	return `<styleSheet xmlns="` + spreadsheets + `"><numFmts>` + each(b.Styles[1:], func(i int, s style) string {
		return fmt.Sprintf(`<numFmt numFmtId="%d" formatCode="%s"/>`, firstFormat+i, escaped(s.Format))
	}) + `</numFmts>` +
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		fmt.Sprintf(`<cellXfs count="%d">`, len(b.Styles)) + each(b.Styles, func(i int, s style) string {
		format, font := 0, 0
		if i > 0 {
			format = firstFormat + i - 1
		}
		if s.Bold {
			font = 1
		}
		return fmt.Sprintf(`<xf numFmtId="%d" fontId="%d" fillId="0" borderId="0" xfId="0" applyNumberFormat="true" applyFont="true"/>`, format, font)
	}) + `</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
}

func (b *workbook) workbook() string {
	return `<workbook xmlns="` + spreadsheets + `" xmlns:r="` + documentXML + `"><workbookPr filterPrivacy="true"></workbookPr>` +
		`<bookViews><workbookView xWindow="0" yWindow="0" windowWidth="14805" windowHeight="8010"></workbookView></bookViews>` +
		`<sheets>` + each(b.Sheets, func(_ int, s *bookSheet) string {
		return fmt.Sprintf(`<sheet name="%s" sheetId="%d" r:id="rId%[2]d"></sheet>`, escaped(s.Name), s.Number)
	}) + `</sheets><definedNames>` + each(b.Sheets, func(i int, s *bookSheet) string {
		quoted := escaped("'" + strings.ReplaceAll(s.Name, "'", "''") + "'")
		return fmt.Sprintf(`<definedName hidden="true" localSheetId="%d" name="_xlnm._FilterDatabase">%s!%s</definedName>`, i, quoted, s.Filter) +
			fmt.Sprintf(`<definedName localSheetId="%d" name="_xlnm.Print_Titles">%s!$%d:$%[3]d</definedName>`, i, quoted, s.Head)
	}) + `</definedNames><calcPr calcId="122211"></calcPr></workbook>`
}

// start returns what is before the rows of a sheet.
func (s *bookSheet) start() string {
	selected := ""
	if s.Number == 1 {
		selected = ` tabSelected="true"`
	}
	return `<worksheet xmlns="` + spreadsheets + `"><sheetPr><pageSetUpPr fitToPage="true"></pageSetUpPr></sheetPr>` +
		fmt.Sprintf(`<sheetViews><sheetView%s workbookViewId="0"><pane activePane="bottomLeft" state="frozen" topLeftCell="A%d" ySplit="%d"></pane></sheetView></sheetViews>`, selected, s.Head+1, s.Head) +
		`<sheetFormatPr defaultRowHeight="15"></sheetFormatPr><cols>` + each(s.Widths, func(i, width int) string {
		return fmt.Sprintf(`<col min="%d" max="%[1]d" width="%d" customWidth="1"/>`, i+1, width)
	}) + `</cols><sheetData>`
}

// end returns what is after the rows of a sheet.
func (s *bookSheet) end() string {
	return `</sheetData><autoFilter ref="` + s.Filter + `"></autoFilter><pageSetup fitToHeight="0" fitToWidth="1" orientation="landscape"></pageSetup></worksheet>`
}
