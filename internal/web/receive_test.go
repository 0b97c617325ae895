package web_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/web"
)

// Uploads are limited: the least recently used file is dropped first, and unused files expire. Other users' files
// are not found.
func TestUploads(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	u := web.NewUploads(func() time.Time { return now })
	content := make([]byte, 32<<20)
	var tokens []string
	for i := range 4 {
		tokens = append(tokens, u.Put("ada", fmt.Sprint(i), content))
		require.Len(t, tokens[i], 32)
		now = now.Add(time.Minute)
	}
	require.Equal(t, 128<<20, u.Size())
	require.True(t, u.Has("ada", tokens[0])) // used: the next is the oldest now
	require.False(t, u.Has("bo", tokens[0]))
	require.False(t, u.Has("", tokens[0]))
	require.False(t, u.Forget("bo", tokens[0]))
	now = now.Add(time.Minute)
	small := u.Put("bo", "small", content[:1])
	require.False(t, u.Has("ada", tokens[1]))
	for _, i := range []int{0, 2, 3} {
		require.True(t, u.Has("ada", tokens[i]), i)
	}
	require.Equal(t, 96<<20+1, u.Size())
	require.True(t, u.Forget("ada", tokens[3]))
	require.False(t, u.Forget("ada", tokens[3]))
	now = now.Add(29 * time.Minute)
	u.Clear()
	require.True(t, u.Has("bo", small))
	now = now.Add(time.Minute)
	u.Clear()
	require.Equal(t, 1, u.Size())
	require.False(t, u.Has("ada", tokens[0]))
	require.True(t, u.Has("bo", small))
	now = now.Add(30 * time.Minute)
	require.False(t, u.Has("bo", small))
	require.Zero(t, u.Size())
}

// A form that is malformed, too large, or from another site, is rejected with the reason.
func TestHostileForms(t *testing.T) {
	var log lockedBuffer
	s := served(t, filled(t, "0..3"), func(o *web.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	form := func(parts ...string) string {
		var body strings.Builder
		for _, part := range parts {
			head, text, _ := strings.Cut(part, "|")
			body.WriteString("--b\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + text + "\r\n")
		}
		return body.String() + "--b--\r\n"
	}
	const kind = "multipart/form-data; boundary=b"
	file := `name="file"; filename="a.csv"|hash,fee_wei`
	for name, c := range map[string]struct {
		contentType, body string
		status            int
		text              string
	}{
		"no form":          {"text/plain", "x", http.StatusBadRequest, "multipart/form-data"},
		"no type":          {"", "x", http.StatusBadRequest, "multipart/form-data"},
		"no boundary":      {"multipart/form-data", "x", http.StatusBadRequest, "multipart/form-data"},
		"url-encoded":      {"application/x-www-form-urlencoded", "file=x", http.StatusBadRequest, "multipart/form-data"},
		"nothing":          {kind, "", http.StatusBadRequest, `id="refused"`},
		"no end":           {kind, "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx", http.StatusBadRequest, "cannot be read"},
		"no parts":         {kind, "--b--\r\n", http.StatusBadRequest, "Choose a csv or xlsx file"},
		"no file":          {kind, form(`name="period"|2026-01`), http.StatusBadRequest, "Choose a csv or xlsx file"},
		"empty file":       {kind, form(`name="file"; filename="a.csv"|`), http.StatusBadRequest, "Choose a csv or xlsx file"},
		"unknown field":    {kind, form(`name="path"|/etc/passwd`, file), http.StatusBadRequest, "is unknown or repeated"},
		"unnamed field":    {kind, form(`x="path"|y`, file), http.StatusBadRequest, "is unknown or repeated"},
		"two files":        {kind, form(file, file), http.StatusBadRequest, "repeated"},
		"two periods":      {kind, form(`name="period"|2026`, `name="period"|2026`, file), http.StatusBadRequest, "repeated"},
		"long field":       {kind, form(`name="accounts"|`+noise(9000), file), http.StatusBadRequest, "too long"},
		"long address":     {kind, form(`name="accounts"|`+noise(8100), `name="zone"|`+noise(200), file), http.StatusRequestURITooLong, "group of the address book"},
		"partial":          {kind, form(`name="partial"|2`, file), http.StatusBadRequest, "want 0 or 1"},
		"endless header":   {kind, "--b\r\nContent-Disposition: form-data; name=\"" + noise(300<<10), http.StatusBadRequest, `id="refused"`},
		"with a token":     {kind, form(`name="token"|abc`, file), http.StatusSeeOther, ""},
		"name of a path":   {kind, form(`name="file"; filename="../../../etc/passwd"|hash,fee_wei`), http.StatusSeeOther, ""},
		"name of controls": {kind, form("name=\"file\"; filename=\"\u202e\u200b\"|hash,fee_wei"), http.StatusSeeOther, ""},
	} {
		a := post(t, s, "/reconcile", c.contentType, strings.NewReader(c.body), nil)
		require.Equal(t, c.status, a.status, "%s\n%s", name, a.text)
		require.Contains(t, a.text, c.text, name)
		if c.status == http.StatusSeeOther {
			page := get(t, s, a.header.Get("Location"), nil)
			require.NotContains(t, page.text, "etc/passwd", name)
			require.Equal(t, http.StatusOK, page.status, page.text)
			require.Contains(t, page.text, "Nothing to compare: the file contains no fees; completeness not checked.")
		}
	}
	for name, value := range map[string]string{"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"} {
		for _, path := range []string{"/reconcile", "/reconcile/0123/forget"} {
			a := post(t, s, path, kind, strings.NewReader(form(file)), func(r *http.Request) { r.Header.Set(name, value) })
			require.Equal(t, http.StatusForbidden, a.status, name)
			require.Contains(t, a.text, "another site")
		}
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		require.Equal(t, http.StatusMethodNotAllowed, post(t, s, "/reconcile", kind, strings.NewReader(""), func(r *http.Request) { r.Method = method }).status)
	}
	require.Equal(t, http.StatusMethodNotAllowed, post(t, s, "/fees", kind, strings.NewReader(""), nil).status)
	for _, token := range []string{"x", strings.Repeat("0", 32), "..%2f..", "%00"} {
		require.Equal(t, http.StatusNotFound, get(t, s, "/reconcile/"+token, nil).status, token)
	}
	path := sent(t, s, "a.csv", []byte("hash,fee_wei\n"), nil)
	require.Equal(t, http.StatusOK, get(t, s, path, nil).status)
	require.NotContains(t, log.String(), strings.TrimPrefix(path, "/reconcile/"), "tokens are not logged")
	require.Contains(t, log.String(), "route=/reconcile/{token} ")
}

// lockedBuffer is a buffer for concurrent writers.
type lockedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// An oversized file is rejected with the limit, whether or not its length was announced. A slow upload is
// aborted, and blocks no other request.
func TestLargeAndSlowFiles(t *testing.T) {
	d := filled(t, "0..3")
	s := served(t, d, func(o *web.Options) { o.AtOnce = 1 })
	contentType, form := formOf(t, "a.csv", make([]byte, 32<<20+1), nil)
	for _, told := range []int64{-1, int64(form.Len())} {
		a := post(t, s, "/reconcile", contentType, bytes.NewReader(form.Bytes()), func(r *http.Request) { r.ContentLength = told })
		require.Equal(t, http.StatusRequestEntityTooLarge, a.status)
		require.Contains(t, a.text, "Files are limited to 32 MB here. For larger files, use fees reconcile on the command line.")
	}
	huge := post(t, s, "/reconcile", contentType, io.MultiReader(form, bytes.NewReader(make([]byte, 1<<20))), nil)
	require.Equal(t, http.StatusRequestEntityTooLarge, huge.status)

	before := web.SetArrivalTime(time.Hour)
	defer web.SetArrivalTime(before)
	var slow []net.Conn
	for range 4 {
		slow = append(slow, begin(t, s))
	}
	require.Equal(t, http.StatusOK, get(t, s, "/overview", nil).status, "files that arrive take no place of a question")
	contentType, form = formOf(t, "a.csv", []byte("hash,fee_wei\n"), nil)
	require.Equal(t, http.StatusTooManyRequests, post(t, s, "/reconcile", contentType, bytes.NewReader(form.Bytes()), nil).status)
	for _, c := range slow {
		require.NoError(t, c.Close())
	}
	require.Eventually(t, func() bool {
		return post(t, s, "/reconcile", contentType, bytes.NewReader(form.Bytes()), nil).status == http.StatusSeeOther
	}, time.Minute, 10*time.Millisecond)

	web.SetArrivalTime(200 * time.Millisecond)
	c := begin(t, s)
	trickle := make(chan struct{})
	go func() {
		defer close(trickle)
		for {
			if _, err := c.Write([]byte("-")); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	rest, _ := io.ReadAll(c) // the server ends it
	require.Contains(t, string(rest), "408 Request Timeout")
	c.Close()
	<-trickle
	large := begin2(t, s.Listener.Addr().String(), 33<<20)
	rest, _ = io.ReadAll(large)
	require.Contains(t, string(rest), "408 Request Timeout")
}

// begin2 announces a long file and sends none of it.
func begin2(t *testing.T, address string, length int) net.Conn {
	t.Helper()
	return announce(t, address, fmt.Sprintf("Content-Length: %d\r\n", length))
}

// A hostile file gives a small page that describes the error, and shows its contents only as text.
func TestHostileFiles(t *testing.T) {
	d := filled(t, "0..27")
	s := served(t, d, nil)
	hash := "0x" + strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		content, text string
	}{
		"columns.csv":  {strings.Repeat("c,", 10_000) + "\n" + strings.Repeat("1,", 10_000) + "\n", "10001 columns"},
		"binary.csv":   {"hash,fee_wei\n\x00\x01\x02,\xff\xfe\n", "a zero byte"},
		"random.bin":   {strings.Repeat("\x8f\x03\xff\x00,", 5000), "cannot be read"},
		"old.xls":      {"\xd0\xcf\x11\xe0" + noise(100), "an old or password-protected spreadsheet"},
		"zip.xlsx":     {"PK\x03\x04" + noise(100), "cannot be unpacked"},
		"quote.csv":    {"hash,fee_wei\n\"" + noise(2<<20), "check for an unclosed quote"},
		"line.csv":     {noise(1 << 20), "cannot be read"},
		"utf16.csv":    {"\xff\xfeh\x00a\x00\xd8", "UTF-16"},
		"script.csv":   {"x <script>alert(1)</script>,<img src=x>\n\"><script>,=cmd|' /C calc'!A0\n", "&lt;script&gt;alert(1)&lt;/script&gt;"},
		"<script>.csv": {"hash,fee_wei\n" + hash + ",x\n", "line 2, column 2 &#34;fee_wei&#34;"},
		"names.csv":    {"\"" + noise(5000) + "\",\"tx\nhash\"\n1,2\n", "xxx…"},
		"bomb.xlsx":    {bomb(t, 257<<20), "is larger than 256 MB"},
	} {
		path := sent(t, s, name, []byte(c.content), nil)
		a := get(t, s, path, nil)
		require.Equal(t, http.StatusUnprocessableEntity, a.status, "%s\n%s", name, a.text)
		require.Contains(t, a.text, c.text, name)
		require.NotContains(t, foreign(a.text), "<script", name)
		require.NotContains(t, foreign(a.text), "<img", name)
		require.Less(t, len(a.text), 200_000, name)
		for _, file := range []string{"/result.csv", "/result.json", "/fixed"} {
			require.Equal(t, http.StatusUnprocessableEntity, get(t, s, path+file, nil).status, name)
		}
	}

	// Text of the file stays text in what is written of it.
	path := sent(t, s, "a.csv", []byte("hash,fee_wei,who\n"+hash+",1,<script>alert(1)</script>\n"), nil)
	a := get(t, s, path, nil)
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.text, "&lt;script&gt;alert(1)&lt;/script&gt;")
	require.NotContains(t, foreign(a.text), "<script")

	// What takes too long to read is given up.
	hurried := served(t, d, func(o *web.Options) { o.Time = 20 * time.Millisecond })
	path = sent(t, hurried, "slow.csv", []byte("hash,fee_wei\n"+strings.Repeat(hash+",1\n", 150_000)), nil)
	for _, page := range []string{path, path + "/result.csv?rows_only=1"} {
		a = get(t, hurried, page, nil)
		require.Equal(t, http.StatusGatewayTimeout, a.status, a.text)
	}
}

// bomb returns a workbook whose sheet is huge when unpacked.
func bomb(t *testing.T, size int) string { return bombOf(t, size, "sheet.xml", "", "<x/>") }

// bombOf contains a part of the given size: a beginning and a repeated element.
func bombOf(t *testing.T, size int, part, beginning, element string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(name, text string) io.Writer {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(w, text)
		require.NoError(t, err)
		return w
	}
	const of = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	for _, other := range [][2]string{
		{"_rels/.rels", `<Relationships><Relationship Id="a" Type="` + of + `/officeDocument" Target="book.xml"/></Relationships>`},
		{"_rels/book.xml.rels", `<Relationships><Relationship Id="a" Type="` + of + `/worksheet" Target="sheet.xml"/><Relationship Id="b" Type="` + of + `/sharedStrings" Target="strings.xml"/></Relationships>`},
		{"strings.xml", "<sst/>"},
		{"book.xml", `<workbook><sheets><sheet name="One" id="a"/></sheets></workbook>`},
	} {
		if other[0] != part {
			add(other[0], other[1])
		}
	}
	w := add(part, "<x>"+beginning)
	portion := []byte(strings.Repeat(element, 1<<20/len(element)))
	for range size / len(portion) {
		_, err := w.Write(portion)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return out.String()
}

// A small workbook that unpacks to millions of texts, cells or attributes is rejected before it is read completely.
// It is read once for all requests.
func TestWorkbooksThatUnpackFar(t *testing.T) {
	s := served(t, filled(t, "0..3"), nil)
	var sheets strings.Builder
	for n := range 2000 {
		fmt.Fprintf(&sheets, `<sheet name="%d" id="a"/>`, n)
	}
	for name, c := range map[string]struct{ part, element, text string }{
		"texts":      {"strings.xml", "<si><t/></si>", "it unpacks to more cells or texts"},
		"empty":      {"strings.xml", "<si/>", "it unpacks to more cells or texts"},
		"cells":      {"sheet.xml", "<row><c/><c/><c/></row>", "it unpacks to more cells or texts"},
		"attributes": {"sheet.xml", `<c` + strings.Repeat(` a=""`, 1000) + "/>", "it unpacks to more cells or texts"},
		"comments":   {"sheet.xml", "<!---->", "it unpacks to more cells or texts"},
		"bytes":      {"sheet.xml", "<c>" + strings.Repeat(" ", 1<<19) + "</c>", "it unpacks to more data than a spreadsheet writes"},
		"a text":     {"strings.xml", strings.Repeat("x", 1<<20), "it contains a text of more than 1 MB"},
		"sheets":     {"book.xml", `<sheet name="x" id="a"/>`, "more than 2000 sheets"},
		"relations":  {"_rels/book.xml.rels", `<Relationship Id="a"/>`, "more than 20000 relations"},
	} {
		t.Run(name, func(t *testing.T) {
			beginning := ""
			if c.part == "book.xml" {
				beginning = sheets.String()
			}
			content := bombOf(t, 8<<20, c.part, beginning, c.element)
			require.Less(t, len(content), 64<<10)
			path := sent(t, s, "a.xlsx", []byte(content), nil)
			first := get(t, s, path, nil)
			require.Equal(t, http.StatusUnprocessableEntity, first.status)
			require.Contains(t, first.text, c.text)
			t.Setenv("TMPDIR", "/nowhere") // a workbook is unpacked from a temporary file
			require.Equal(t, first.text, get(t, s, path, nil).text)
			require.Equal(t, http.StatusUnprocessableEntity, get(t, s, path+"/result.csv", nil).status)
			require.Equal(t, http.StatusInternalServerError, get(t, s, path+"?unit=gwei", nil).status, "with other settings it is read again")
		})
	}
}

// A parsed record is cached for other views until it is deleted. Other requests proceed while it is read.
func TestRecordsStayRead(t *testing.T) {
	long(t, "it reads 150,000 rows")
	s := served(t, filled(t, "0..3"), func(o *web.Options) { o.AtOnce = 1 })
	hash := "0x" + strings.Repeat("ab", 32)
	path := sent(t, s, "a.csv", []byte("hash,fee_wei\n"+strings.Repeat(hash+",1\n", 150_000)), url.Values{"period": {"0..3"}})
	done := make(chan int, 1)
	go func() { done <- get(t, s, path+"&rows_only=1", nil).status }()
	for range 3 {
		require.Equal(t, http.StatusOK, get(t, s, "/overview", nil).status)
		require.Empty(t, done, "it is read, and keeps no question waiting")
	}
	require.Equal(t, http.StatusOK, <-done)
}

// Deleted files leave nothing in memory.
func TestMemoryOfFiles(t *testing.T) {
	long(t, "it is about large files")
	s := served(t, filled(t, "0..3"), nil)
	content := []byte("hash,fee_wei\n" + strings.Repeat("x,"+noise(60<<10)+"\n", 100))
	used := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := used()
	for range 10 {
		path := sent(t, s, "a.csv", content, url.Values{"period": {"0..3"}})
		require.Equal(t, http.StatusUnprocessableEntity, get(t, s, path, nil).status)
		token, _, _ := strings.Cut(path, "?")
		require.Equal(t, http.StatusSeeOther, post(t, s, token+"/forget", "text/plain", strings.NewReader(""), nil).status)
	}
	require.Less(t, used(), before+2*uint64(len(content)))
}
