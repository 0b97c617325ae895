// Package browsertest is a real browser for tests: Debian's Chromium, without a window.
//
// A test finds things as a person does: a link or a button by its name, a field by the name of the
// form, never by its place in the layout. It clicks with the mouse, and types on the keyboard. It
// waits for what happens, never for a time.
//
// What nobody looks at is looked at here: each tab wants an empty console, no exception, nothing
// that the page's policy refuses, no request that fails, and none to another server.
package browsertest
