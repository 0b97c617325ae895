package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/browsertest"
)

// recorded is a test whose failures are only recorded, to see that a tab fails it.
type recorded struct {
	testing.TB
	failed []string
	ends   []func()
}

func (r *recorded) Errorf(format string, arguments ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, arguments...))
}
func (r *recorded) FailNow()         { panic(r) }
func (r *recorded) Cleanup(f func()) { r.ends = append(r.ends, f) }

// Each of these pages has one fault, which is found.
func TestWhatIsWrongIsFound(t *testing.T) {
	b := browsertest.Start(t)
	body := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; img-src * data:; style-src 'unsafe-inline'; connect-src 'self'")
		switch r.URL.Path {
		case "/script.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, r.URL.Query().Get("does"))
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>A page</title><link rel="icon" href="data:,"></head><body><main><h1>A page</h1>%s</main></body></html>`, body)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	for name, c := range map[string]struct{ body, want string }{
		"nothing":           {`<p>All is well.</p>`, ""},
		"the console":       {`<script src="script.js?does=console.error('lost')"></script>`, "lost"},
		"an exception":      {`<script src="script.js?does=gone()"></script>`, "gone is not defined"},
		"the policy":        {`<script>document.title = "owned"</script>`, "Content Security Policy"},
		"what is missing":   {`<img src="missing.png" alt="">`, "404"},
		"what is elsewhere": {`<img src="http://elsewhere.example/x.png" alt="">`, "a request to elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			body = c.body
			r := &recorded{TB: t}
			tab := b.Tab(r, s.URL, browsertest.Options{})
			tab.Open("/")
			func() {
				defer func() {
					if wrong := recover(); wrong != nil && wrong != r {
						panic(wrong)
					}
				}()
				for _, end := range r.ends {
					end()
				}
			}()
			if c.want == "" {
				require.Empty(t, r.failed)
			} else {
				require.Contains(t, strings.Join(r.failed, "\n"), c.want)
			}
		})
	}

	tab := b.Tab(t, s.URL, browsertest.Options{Size: browsertest.Phone})
	for want, text := range map[string]string{
		"label":          `<input name="nameless">`,
		"color-contrast": `<p style="color: #bbb; background: #fff">Pale</p>`,
		"target-size":    `<p><button style="width: 12px; height: 12px; padding: 0; border: 0; font-size: 5px">a</button><button style="width: 12px; height: 12px; padding: 0; border: 0; font-size: 5px">b</button></p>`,
	} {
		body = text
		tab.Open("/")
		require.Contains(t, strings.Join(append(tab.Barriers(), tab.Pale()...), "\n"), want+": ")
	}
	body = `<div style="width: 500px">Wide</div>`
	tab.Open("/")
	require.Contains(t, strings.Join(tab.Overhang(), "\n"), "500px")
	body = `<a href="/">Seen</a> <a href="/" style="outline: none">Unseen</a> <button tabindex="5">First</button>`
	tab.Open("/")
	_, wrong := tab.Walk()
	require.Contains(t, strings.Join(wrong, "\n"), "the focus is at <button")
	body = `<a href="/" style="outline: 2px solid">Seen</a> <a href="/" style="outline: none">Unseen</a>`
	tab.Open("/")
	_, wrong = tab.Walk()
	require.Len(t, wrong, 1)
	require.Contains(t, wrong[0], "no focus is to be seen")
}

// The browser reports all downloads to every tab: a tab uses only its own.
func TestDownloadsAreTheTabsOwn(t *testing.T) {
	b := browsertest.Start(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		name := r.URL.Path[1:]
		fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>A page</title><link rel="icon" href="data:,"></head><body><a download="%s.txt" href="data:,%[1]s">%[1]s</a></body></html>`, name)
	}))
	defer s.Close()
	tabs := map[string]*browsertest.Tab{}
	for _, name := range []string{"one", "two", "three"} {
		tabs[name] = b.Tab(t, s.URL, browsertest.Options{})
		tabs[name].Open("/" + name)
	}
	for name, tab := range tabs {
		file, content := tab.Select("a[download]").Download()
		require.Equal(t, name+".txt", file)
		require.Equal(t, name, string(content))
	}
}
