package reply_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/substrate/render"
)

type answers func(ctx context.Context, question string) (string, error)

func (a answers) Get(ctx context.Context, question string) (string, error) {
	return a(ctx, question)
}

func ask(t *testing.T, method, path string, a answers) (*http.Response, string) {
	t.Helper()
	server := httptest.NewServer(reply.Handler(a))
	defer server.Close()
	question, err := http.NewRequest(method, server.URL+path, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(question)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(text)
}

func TestHandler(t *testing.T) {
	var asked string
	says := func(text string, err error) answers {
		return func(_ context.Context, question string) (string, error) {
			asked = question
			return text, err
		}
	}
	const path = "/pallets/a%20b/storage/c?keys[]=0x04&at=7"
	response, text := ask(t, http.MethodGet, path, says(`{"a":1}`, nil))
	require.Equal(t, path, asked)
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, reply.JSON, response.Header.Get("Content-Type"))
	require.EqualValues(t, 7, response.ContentLength)
	require.Equal(t, `{"a":1}`, text)

	response, text = ask(t, http.MethodHead, path, says(`{"a":1}`, nil))
	require.EqualValues(t, 7, response.ContentLength)
	require.Empty(t, text)

	response, text = ask(t, http.MethodGet, "/blocks/x", says("", &render.RefusedError{Status: http.StatusBadRequest, Message: `no "such" <block>`, Meaning: errors.New("inside")}))
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.JSONEq(t, `{"code":400,"message":"no \"such\" <block>","level":"error"}`, text)

	response, text = ask(t, http.MethodGet, "/nothing", says("", chain.ErrNotOffered))
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
	require.Contains(t, text, "<pre>Cannot GET /nothing</pre>")

	asked = ""
	response, text = ask(t, http.MethodPost, "/blocks/1", says("", nil))
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	require.Contains(t, text, "<pre>Cannot POST /blocks/1</pre>")
	require.Empty(t, asked)

	response, text = ask(t, http.MethodGet, "/blocks/1", says("", errors.New("wss://host/KEY")))
	require.Equal(t, http.StatusInternalServerError, response.StatusCode)
	require.JSONEq(t, `{"code":500,"message":"Internal Server Error","level":"error"}`, text)
}

// What is under way when the server ends is answered.
func TestServeEndsGracefully(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	begun := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- reply.Serve(ctx, listener, reply.Handler(answers(func(context.Context, string) (string, error) {
			close(begun)
			<-ctx.Done()
			time.Sleep(50 * time.Millisecond) // while the listener is closed
			return `"late"`, nil
		})))
	}()
	go func() {
		<-begun
		stop()
	}()
	response, err := http.Get("http://" + listener.Addr().String() + "/blocks/1")
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, `"late"`, string(text))
	require.NoError(t, <-ended)
	_, err = http.Get("http://" + listener.Addr().String() + "/blocks/1")
	require.Error(t, err)
}

// A connection on which nothing was asked does not make the end a failure.
func TestServeEndsBesideAConnection(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- reply.Serve(ctx, listener, reply.Handler(answers(func(context.Context, string) (string, error) { return "{}", nil })))
	}()
	quiet, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	defer quiet.Close()
	response, err := http.Get("http://" + listener.Addr().String()) // by which time the first one is accepted
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	stop()
	require.NoError(t, <-ended)
}
