// Package pdf writes tagged PDF documents of headings, paragraphs and tables, for printing, search and screen readers
// (PDF/UA-1). It is independent of fees.
//
// A document is written page by page: memory does not grow with the rows of its tables, except for a few bytes per
// object. The same content gives the same bytes. A document has no clock time, and its ID is a hash of its content.
//
// # Before you change it
//
// Lengths are integers, in thousandths of a point. Coordinates start at the lower left corner, as in PDF.
//
// Every text on a page is either marked content of one structure element, or an artifact: page furniture, rules and
// repeated headers. Most objects are in object streams, because the structure of a table needs many small ones.
//
// A font is subset by emptying the glyphs that are not used. Every character has its own code, so that a character
// that the font lacks is shown as a box, and is still the same character for search and copy.
//
// Sources: ISO 32000-1, ISO 14289-1, OpenType 1.9 (cmap, glyf, hmtx, loca).
package pdf
