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

// watch records the events of a tab.
type watch struct {
	origin string      // of the server
	frame  cdp.FrameID // of the tab: the browser reports every tab's downloads
	loads  chan struct{}
	saved  chan string // names of downloaded files

	mutex    sync.Mutex
	wrong    []string
	requests int               // since the last page was requested
	weight   float64           // bytes received with them
	begun    map[string]string // names of downloads, by their ID
}

// see handles an event.
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
		if e.Type != network.ResourceTypeEventSource { // a busy browser opens a stream several times
			w.requests++
		}
		if !strings.HasPrefix(e.Request.URL, w.origin+"/") && !strings.HasPrefix(e.Request.URL, "data:") {
			w.fault("a request to elsewhere", e.Request.URL)
		}
	case *network.EventLoadingFinished:
		w.weight += e.EncodedDataLength
	case *network.EventLoadingFailed:
		if !e.Canceled { // pages that are left cancel their events, and so do downloads
			w.fault("a request that failed", e.ErrorText)
		}
	case *page.EventLoadEventFired:
		replace(w.loads, struct{}{})
	case *page.EventFrameNavigated:
		if e.Type == page.NavigationTypeBackForwardCacheRestore { // restored from the cache without loading anything
			replace(w.loads, struct{}{})
		}
	case *browser.EventDownloadWillBegin:
		if e.FrameID == w.frame {
			w.begun[e.GUID] = e.SuggestedFilename
		}
	case *browser.EventDownloadProgress:
		name, ours := w.begun[e.GUID]
		switch {
		case ours && e.State == browser.DownloadProgressStateCompleted:
			replace(w.saved, name)
		case ours && e.State == browser.DownloadProgressStateCanceled:
			w.fault("a download that was cancelled", name)
		}
	}
}

// replace sends a value, in place of one that was not received.
func replace[T any](to chan T, what T) {
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

// troubles returns and clears the problems.
func (w *watch) troubles() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return slices.Clone(w.wrong)
}

// take removes the problems with a text, and returns their number.
func (w *watch) take(text string) (taken int) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	had := len(w.wrong)
	w.wrong = slices.DeleteFunc(w.wrong, func(wrong string) bool { return strings.Contains(wrong, text) })
	return had - len(w.wrong)
}

// reset starts counting for another page.
func (w *watch) reset() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.requests, w.weight = 0, 0
	select {
	case <-w.loads:
	default:
	}
}
