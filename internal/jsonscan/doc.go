// Package jsonscan reads the JSON text that a gateway sends: strictly, once, and without building
// a tree.
//
// A [Scanner] walks a text from left to right. What its caller does not ask for is skipped,
// and skipping still proves that it is JSON: grammar, string escapes, UTF-8, nesting of at
// most [MaxDepth] levels, and no key twice in one object. (RFC 8259 leaves duplicate keys
// open. In a figure that is added up, either reading could be the wrong one.)
//
// A [Value] is a part of a text that was proved in this way. A rule looks into it later, when
// it needs it. It shares the text's memory and never changes.
// A Value can also be made, by [OfObject], [OfText] and the like.
package jsonscan
