// Package jsonscan parses the JSON that a gateway sends: strictly, in one pass, and without building a tree.
//
// A [Scanner] walks a text from left to right. It skips what its caller does not request, but still checks that it is
// valid JSON: grammar, string escapes, UTF-8, nesting of at most [MaxDepth] levels, and unique keys in each object. (RFC
// 8259 leaves duplicate keys open. In a figure that is added up, either reading could be wrong.)
//
// A [Value] is part of a text that was checked this way. It can be examined later, shares the text's memory and never
// changes. [OfText], [OfNull] and [OfMember] construct values.
package jsonscan
