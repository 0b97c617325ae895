package httpclient_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/feeledger/fees/internal/httpclient"
)

// Ask a gateway that is busy at first: the question is asked again until it is answered.
func ExampleClient_Ask() {
	attempts := 0
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if attempts++; attempts < 3 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"number":"25"}`)
	}))
	defer gateway.Close()

	client, err := httpclient.New(httpclient.Gateway, gateway.URL, httpclient.Options{RetryWait: time.Millisecond}, "http", "https")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	var answer httpclient.Answer
	err = client.Ask(context.Background(), func(ctx context.Context) (err error) {
		const path = "/blocks/25/header"
		answer, err = client.Get(ctx, path)
		if err == nil && !answer.IsSuccess() {
			err = client.Refused(path, answer)
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text, "at attempt", attempts)
	// Output: {"number":"25"} at attempt 3
}
