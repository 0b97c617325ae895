// Package pdf writes tagged PDF documents of headings, paragraphs and tables, for printing, search and screen readers
// (PDF/UA-1). It is independent of fees.
//
// A document is written page by page: memory does not grow with the rows of its tables, except for a few bytes per
// object. The same content gives the same bytes. A document has no clock time, and its ID is a hash of its content.
//
// Sources: ISO 32000-1, ISO 14289-1, OpenType 1.9 (cmap, glyf, hmtx, loca).
package pdf
