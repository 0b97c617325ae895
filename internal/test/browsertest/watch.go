package browsertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// watch sees what happens in a tab.
type watch struct {
	origin string      // of the server
	frame  cdp.FrameID // of the tab: the browser tells of every tab's downloads
	loads  chan struct{}
	saved  chan string // names of files that were downloaded

	mutex    sync.Mutex
	wrong    []string
	requests int               // since the last page was asked for
	weight   float64           // bytes that came with them, as they were sent
	begun    map[string]string // names of downloads, by their number
}

// see takes an event.
func (w *watch) see(event any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		w.fault("console."+e.Type.String(), e.Args)
	case *runtime.EventExceptionThrown:
		w.fault("exception", e.ExceptionDetails)
	case *log.EventEntryAdded:
		if e.Entry.Level != log.EntryLevelVerbose {
			w.fault("log", fmt.Sprintf("%s %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
		}
	case *audits.EventIssueAdded:
		w.fault("issue", e.Issue)
	case *network.EventRequestWillBeSent:
		w.requests++
		if !strings.HasPrefix(e.Request.URL, w.origin+"/") && !strings.HasPrefix(e.Request.URL, "data:") {
			w.fault("a request to elsewhere", e.Request.URL)
		}
	case *network.EventLoadingFinished:
		w.weight += e.EncodedDataLength
	case *network.EventLoadingFailed:
		if !e.Canceled { // the events of a page that is left, and what is downloaded, are
			w.fault("a request that failed", e.ErrorText)
		}
	case *page.EventLoadEventFired:
		tell(w.loads, struct{}{})
	case *page.EventFrameNavigated:
		if e.Type == page.NavigationTypeBackForwardCacheRestore { // it is there as it was, and loads nothing
			tell(w.loads, struct{}{})
		}
	case *browser.EventDownloadWillBegin:
		if e.FrameID == w.frame {
			w.begun[e.GUID] = e.SuggestedFilename
		}
	case *browser.EventDownloadProgress:
		name, ours := w.begun[e.GUID]
		switch {
		case ours && e.State == browser.DownloadProgressStateCompleted:
			tell(w.saved, name)
		case ours && e.State == browser.DownloadProgressStateCanceled:
			w.fault("a download that was cancelled", name)
		}
	}
}

// tell hands over what is new, in place of what nobody has read.
func tell[T any](to chan T, what T) {
	select {
	case <-to:
	default:
	}
	to <- what
}

func (w *watch) fault(kind string, what any) {
	text, err := json.Marshal(what)
	if err != nil {
		text = fmt.Append(nil, what)
	}
	w.wrong = append(w.wrong, kind+": "+string(text))
}

// troubles are those that nobody has taken.
func (w *watch) troubles() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return slices.Clone(w.wrong)
}

// take takes the troubles that have a text.
func (w *watch) take(text string) (taken int) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	had := len(w.wrong)
	w.wrong = slices.DeleteFunc(w.wrong, func(wrong string) bool { return strings.Contains(wrong, text) })
	return had - len(w.wrong)
}

// anew begins to count for another page.
func (w *watch) anew() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.requests, w.weight = 0, 0
	select {
	case <-w.loads:
	default:
	}
}
