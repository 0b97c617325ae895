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

// Refused returns the error for an answer whose status was not wanted, with the words that
// came with it.
func (c *Client) Refused(path string, answer Answer) *StatusError {
	return &StatusError{Place: c.place, Path: path, Code: answer.Status, Message: c.Quote(answer.words()), RetryAfter: retryAfter(answer.Header.Get("Retry-After"))}
}

// WebPage returns the error for an answer that is a web page.
func (c *Client) WebPage(answer Answer) error {
	title := c.Quote(answer.words())
	if title != "" {
		title = fmt.Sprintf(" (%q)", title)
	}
	return fmt.Errorf("the answer is a web page%s, %w: is %s a %s's address?", title, ErrNotJSON, c.place.Address, c.place.What)
}

// maxWords bounds the words of a provider that an error quotes, in bytes.
const maxWords = 240

var title = regexp.MustCompile(`(?is)<title[^>]*>([^<]*)<`)

// words returns what an answer says to people: a message in JSON, the title of a web page, or
// a short text.
func (a Answer) words() string {
	if a.IsWebPage() {
		found := title.FindStringSubmatch(a.Text[:min(len(a.Text), 1<<14)])
		if found == nil || found[1] == "Error" { // as Express calls each of its error pages
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

// Quote returns a provider's words as an error may quote them: in one line, bounded, and
// without the secrets that the client was given.
func (c *Client) Quote(words string) string {
	words = strings.Join(strings.Fields(oneLine(c.WithoutSecrets(words))), " ")
	if len(words) > maxWords {
		words = words[:maxWords] + "…"
	}
	return strings.ToValidUTF8(words, "\uFFFD")
}

// hidden replaces a secret in what is shown.
const hidden = "[hidden]"

// WithoutSecrets returns text without the keys and the password that the client was given,
// which some providers repeat.
func (c *Client) WithoutSecrets(text string) string {
	for _, secret := range c.secrets {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}

// minSecret is the length from which on a part of an address may be a key.
const minSecret = 8

// secretsOf lists what of an address and of the options must never be shown.
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
	add(minSecret, strings.Split(u.Path, "/")...)
	for _, values := range u.Query() {
		add(minSecret, values...)
	}
	return secrets
}

// Checked returns a context under which an answer is one only if check accepts it: else it
// is an [UnusableError], after which another one may come.
func Checked(ctx context.Context, check func(text string) error) context.Context {
	return context.WithValue(ctx, checkKey{}, check)
}

type checkKey struct{}

// Check checks an answer as [Checked] wants it.
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
