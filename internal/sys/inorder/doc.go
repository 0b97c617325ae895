// Package inorder works on several things at the same time, and delivers the results in
// order.
//
// It is the only such mechanism: [Map], or [Weighed] where some things are heavy. The window
// is filled again before a result is delivered. When the caller leaves early, the rest is
// cancelled first, and then waited for.
package inorder
