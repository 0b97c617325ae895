package httpclient

import (
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"

	"github.com/feeledger/fees/internal/jsonscan"
)

// Refused returns the error for an unexpected status, with the message in the answer.
func (c *Client) Refused(path string, answer Answer) *StatusError {
	return &StatusError{Place: c.place, Path: path, Code: answer.Status, Message: c.Quote(answer.words()), RetryAfter: retryAfter(answer.Header.Get("Retry-After"))}
}

// WebPage returns the error for an answer that is a web page.
func (c *Client) WebPage(answer Answer) error {
	title := c.Quote(answer.words())
	if title != "" {
		title = fmt.Sprintf(" (%q)", title)
	}
	return fmt.Errorf("the answer is a web page%s, %w; is %s the address of a %s?", title, ErrNotJSON, c.place.Address, c.place.What)
}

// maxWords limits the bytes of a provider's message that an error quotes.
const maxWords = 240

var title = regexp.MustCompile(`(?is)<title[^>]*>([^<]*)<`)

// words returns the message in an answer: a message in JSON, the title of a web page, or a short text.
func (a Answer) words() string {
	if a.IsWebPage() {
		found := title.FindStringSubmatch(a.Text[:min(len(a.Text), 1<<14)])
		if found == nil || found[1] == "Error" { // the title of every Express error page
			return ""
		}
		return html.UnescapeString(found[1])
	}
	body, notJSON := jsonscan.Parse(a.Text)
	if notJSON != nil {
		return a.Text[:min(len(a.Text), 2*maxWords)]
	}
	failure := body.Member("error")
	for _, member := range []jsonscan.Value{failure.Member("message"), body.Member("message"), failure, body.Member("detail"), body} {
		if said, ok := member.Text(); ok {
			return said
		}
	}
	return ""
}

// Quote returns a provider's message for an error: on one line, shortened, and without the client's secrets.
func (c *Client) Quote(words string) string {
	words = strings.Join(strings.Fields(oneLine(c.WithoutSecrets(words))), " ")
	if len(words) > maxWords {
		words = words[:maxWords] + "…"
	}
	return strings.ToValidUTF8(words, "\uFFFD")
}

// hidden replaces a secret in displayed text.
const hidden = "[hidden]"

// WithoutSecrets returns text without the client's keys and password, which some providers echo.
func (c *Client) WithoutSecrets(text string) string {
	for _, secret := range c.secrets {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}

// minSecret is the minimum length at which part of an address may be a key.
const minSecret = 8

// secretsOf lists the secrets in an address and the options.
func secretsOf(address string, o Options) (secrets []string) {
	add := func(atLeast int, texts ...string) {
		for _, text := range texts {
			if len(text) >= atLeast {
				secrets = append(secrets, text)
			}
		}
	}
	add(1, o.APIKey)
	u, err := url.Parse(address)
	if err != nil {
		return secrets
	}
	if password, ok := u.User.Password(); ok {
		add(1, base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)), password)
	}
	add(minSecret, u.RawQuery)
	add(minSecret, strings.Split(u.EscapedPath(), "/")...)
	add(minSecret, strings.Split(u.Path, "/")...)
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, named := strings.Cut(part, "=")
		if !named { // the key itself
			value = name
		}
		plain, _ := url.QueryUnescape(value)
		add(minSecret, value, plain)
	}
	return secrets
}

// Checked returns a context that makes [Check] call check: a rejected answer becomes an [UnusableError], which may be
// retried.
func Checked(ctx context.Context, check func(text string) error) context.Context {
	return context.WithValue(ctx, checkKey{}, check)
}

type checkKey struct{}

// Check checks an answer with the function given to [Checked].
func Check(ctx context.Context, text string) error {
	check, ok := ctx.Value(checkKey{}).(func(string) error)
	if !ok {
		return nil
	}
	if err := check(text); err != nil {
		return &UnusableError{err}
	}
	return nil
}
