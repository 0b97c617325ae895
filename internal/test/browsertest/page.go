package browsertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Open opens a path.
func (b *Tab) Open(path string) {
	b.t.Helper()
	b.load(func() {
		gone := call(b, page.Navigate, page.NavigateParams{URL: b.address(path)})
		require.Empty(b.t, gone.ErrorText, path)
	})
}

// OpenRefused opens a path that returns an error, which the browser reports in its console.
func (b *Tab) OpenRefused(path string, status int) {
	b.t.Helper()
	b.Open(path)
	b.Refused(status)
}

// load performs an action that opens another page, and waits for it.
func (b *Tab) load(do func()) {
	b.t.Helper()
	b.seen.reset()
	do()
	await(b, b.seen.loads, "no page came")
}

func await[T any](b *Tab, from chan T, otherwise string) (what T) {
	b.t.Helper()
	select {
	case what = <-from:
	case <-time.After(patience):
		require.Fail(b.t, otherwise, "after %v at %s", patience, b.Path())
	}
	return what
}

// Element is an element of a page.
type Element struct {
	tab *Tab
	id  runtime.RemoteObjectID
}

// The roles of interactive elements in the accessibility tree.
const (
	Link   = "link"
	Button = "button"
)

// Find returns the first element with a role and a name in the accessibility tree.
func (b *Tab) Find(role, name string) *Element {
	b.t.Helper()
	root := call(b, dom.GetDocument, dom.GetDocumentParams{}).Root
	found := call(b, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{BackendNodeID: root.BackendNodeID, Role: role, AccessibleName: name})
	require.NotEmpty(b.t, found.Nodes, "%s has no %s with the name %q", b.Path(), role, name)
	return &Element{b, call(b, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: found.Nodes[0].BackendDOMNodeID}).Object.ObjectID}
}

// Select returns the first element of a CSS selector, which must name a thing, not a position.
func (b *Tab) Select(selector string) *Element {
	b.t.Helper()
	found := call(b, runtime.Evaluate, runtime.EvaluateParams{Expression: fmt.Sprintf("document.querySelector(%q)", selector)})
	require.NotEmpty(b.t, found.Result.ObjectID, "%s has no %s", b.Path(), selector)
	return &Element{b, found.Result.ObjectID}
}

// Field returns the form field with a name.
func (b *Tab) Field(name string) *Element {
	b.t.Helper()
	return b.Select(fmt.Sprintf("[name=%q]:not([type=hidden])", name))
}

// Submit presses the button of the form with the field, and waits for the page.
func (b *Tab) Submit(field string) {
	b.t.Helper()
	b.Select(fmt.Sprintf("form:has([name=%q]) button", field)).Follow()
}

// of evaluates a function on an element.
func of[T any](e *Element, function string) (value T) {
	e.tab.t.Helper()
	yes := true
	answer := call(e.tab, runtime.CallFunctionOn, runtime.CallFunctionOnParams{ObjectID: e.id, FunctionDeclaration: function, ReturnByValue: &yes})
	require.Nil(e.tab.t, answer.ExceptionDetails, function)
	require.NoError(e.tab.t, json.Unmarshal([]byte(answer.Result.Value), &value), function)
	return value
}

// reveal unfolds the element.
func (e *Element) reveal() {
	e.tab.t.Helper()
	if of[bool](e, `function() { return !this.checkVisibility() && this.closest("details:not([open])") !== null; }`) {
		yes := false
		folded := call(e.tab, runtime.CallFunctionOn, runtime.CallFunctionOnParams{ObjectID: e.id, ReturnByValue: &yes, FunctionDeclaration: `function() {
			let fold = this.closest("details:not([open])");
			for (let outer = fold; outer; outer = outer.parentElement.closest("details:not([open])")) fold = outer;
			return fold.querySelector("summary");
		}`})
		(&Element{e.tab, folded.Result.ObjectID}).Press()
		e.reveal()
	}
}

// Press clicks the element, after unfolding it. Nothing else may cover it.
func (e *Element) Press() {
	t := e.tab.t
	t.Helper()
	e.reveal()
	at := of[*struct {
		X, Y float64
		Top  string
	}](e, `function() {
		this.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
		const box = [...this.getClientRects()].find((r) => r.width > 0 && r.height > 0);
		if (!box) return null;
		const x = box.left + box.width / 2, y = box.top + box.height / 2, top = document.elementFromPoint(x, y);
		return {x, y, top: this.contains(top) ? "" : top ? top.outerHTML.slice(0, 200) : "nothing"};
	}`)
	require.NotNil(t, at, "what is to be pressed cannot be seen")
	require.Empty(t, at.Top, "this lies over what is to be pressed")
	ctx, leave := context.WithTimeout(e.tab.context, patience)
	defer leave()
	require.NoError(t, chromedp.Do(ctx, chromedp.MouseClickXY(at.X, at.Y)))
}

// Follow clicks an element that opens another page, and waits for it.
func (e *Element) Follow() {
	e.tab.t.Helper()
	e.tab.load(e.Press)
}

// SubmitRefused presses the button of a form that returns an error, which the browser reports in its console.
func (b *Tab) SubmitRefused(field string, status int) {
	b.t.Helper()
	b.Submit(field)
	b.Refused(status)
}

// Refused requires that the page was answered with an error, which the browser reports in its console.
func (b *Tab) Refused(status int) {
	b.t.Helper()
	require.NotZero(b.t, b.seen.take(fmt.Sprintf("a status of %d ", status)), "%s was not answered with %d", b.Path(), status)
}

// Text returns the visible text.
func (e *Element) Text() string {
	e.tab.t.Helper()
	return of[string](e, `function() { return this.innerText; }`)
}

// Attribute returns an attribute's value, or "".
func (e *Element) Attribute(name string) string {
	e.tab.t.Helper()
	return of[string](e, fmt.Sprintf(`function() { return this.getAttribute(%q) ?? ""; }`, name))
}

// Type replaces the text in a field. In a list it selects the option with that value.
func (e *Element) Type(text string) {
	t := e.tab.t
	t.Helper()
	e.reveal()
	switch of[string](e, `function() { this.focus(); this.select?.(); return this.tagName; }`) {
	case "SELECT":
		require.True(t, of[bool](e, fmt.Sprintf(`function() {
			this.value = %q;
			this.dispatchEvent(new Event("change", {bubbles: true}));
			return this.selectedIndex >= 0;
		}`, text)), "the list has no %q", text)
	default:
		if text == "" {
			e.tab.Key("\b")
			return
		}
		e.tab.Key(text)
	}
}

// Choose selects a file in a field.
func (e *Element) Choose(path string) {
	e.tab.t.Helper()
	call(e.tab, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{path}, ObjectID: e.id})
}

// Key presses keys in sequence: \t, \r, and characters.
func (b *Tab) Key(keys string) {
	b.t.Helper()
	ctx, leave := context.WithTimeout(b.context, patience)
	defer leave()
	require.NoError(b.t, chromedp.Do(ctx, chromedp.KeyEvent(keys)))
}

// Enter presses the key that submits a form or follows a link, and waits for the page.
func (b *Tab) Enter() {
	b.t.Helper()
	b.load(func() { b.Key("\r") })
}

// Download clicks an element that leads to a file, and reads the file.
func (e *Element) Download() (name string, content []byte) {
	b := e.tab
	b.t.Helper()
	e.Press()
	name = await(b, b.seen.saved, "no file came")
	path := filepath.Join(b.downloads, name)
	content, err := os.ReadFile(path)
	require.NoError(b.t, err)
	require.NoError(b.t, os.Remove(path))
	return name, content
}

// Path returns the tab's path and query.
func (b *Tab) Path() string {
	b.t.Helper()
	return Ask[string](b, `location.pathname + location.search`)
}

// Heading returns the page's heading.
func (b *Tab) Heading() string {
	b.t.Helper()
	return b.Select("h1").Text()
}

// Text returns all visible text.
func (b *Tab) Text() string {
	b.t.Helper()
	return b.Select("body").Text()
}

// Ask evaluates an expression on the page.
func Ask[T any](b *Tab, expression string) (value T) {
	b.t.Helper()
	yes := true
	answer := call(b, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: &yes, AwaitPromise: &yes})
	if answer.ExceptionDetails != nil {
		require.Fail(b.t, answer.ExceptionDetails.Text, "%v\n%s", answer.ExceptionDetails.Exception, expression)
	}
	require.NoError(b.t, json.Unmarshal([]byte(answer.Result.Value), &value), expression)
	return value
}

// Until waits until the expression is true, on the page or on one that it redirects to.
func (b *Tab) Until(expression string) {
	b.t.Helper()
	ctx, leave := context.WithTimeout(b.context, patience)
	defer leave()
	for {
		_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience)))
		if gone := new(cdproto.Error); errors.As(err, &gone) && ctx.Err() == nil {
			continue // retry on the next page
		}
		require.NoError(b.t, err, expression)
		return
	}
}

// Row is a row of a table.
type Row struct {
	Text    string
	Amounts []string // exact, in wei
	Links   []string
}

// Rows returns the rows of the page's tables, without headings and totals.
func (b *Tab) Rows() []Row {
	b.t.Helper()
	return Ask[[]Row](b, `[...document.querySelectorAll("main tbody tr")].map((r) => ({
		Text: r.innerText, Amounts: [...r.querySelectorAll("data")].map((d) => d.value), Links: [...r.querySelectorAll("a")].map((a) => a.getAttribute("href")),
	}))`)
}

// Amounts returns all exact amounts on the page, in wei.
func (b *Tab) Amounts() []string {
	b.t.Helper()
	return Ask[[]string](b, `[...document.querySelectorAll("main data")].map((d) => d.value)`)
}

// Back goes back to the previous page.
func (b *Tab) Back() {
	b.t.Helper()
	b.load(func() { Ask[bool](b, `history.back(), true`) })
}
