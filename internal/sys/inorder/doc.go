// Package inorder processes items concurrently and delivers the results in order.
//
// Use [Map], or [Weighed] if some items are heavy, for every such task. They refill the window before they deliver a
// result. If the caller stops early, they cancel the remaining work first and then wait for it.
package inorder
