// Package browsertest runs a real browser for tests: Debian's Chromium, headless.
//
// A test finds elements as a person does: a link or a button by its name, a field by its name in the form,
// never by its position in the layout. It clicks with the mouse, and types on the keyboard. It waits for
// events, never for a time.
//
// Each tab also fails its test for invisible problems: console messages, exceptions, violations of the page's
// policy, failed requests, and requests to other servers.
package browsertest
