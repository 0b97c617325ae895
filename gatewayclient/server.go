package gatewayclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// The prefixes that a gateway's paths can have: none, or the prefix of Sidecar's successor
// (polkadot-rest-api). All support for the successor is based on its source code; it was not tested with a
// running instance.
const (
	noVersion = ""
	version1  = "/v1"
)

// versioned returns the path of a request. The successor accepts only pallet names in camel case and brackets
// that are not percent-encoded.
func versioned(version, path string) string {
	if version == version1 {
		path = palletPath.ReplaceAllStringFunc(path, sidecar.PalletName)
		path = strings.ReplaceAll(path, "keys%5B%5D=", "keys[]=")
	}
	return version + path
}

var (
	palletPath = regexp.MustCompile(`^/pallets/[^/]+`)
	blockPath  = regexp.MustCompile(`^/blocks/[^/]+$`)
)

// Get returns the text of a JSON response. The first response reveals whether the gateway's paths have a
// version prefix: an unknown path is tried once with it.
func (s *server) Get(ctx context.Context, path string) (string, error) {
	if version := s.version.Load(); version != nil {
		return s.text(ctx, *version, path)
	}
	version := noVersion
	text, err := s.text(ctx, version, path)
	if errors.Is(err, errNoEndpoint) {
		if versioned, versionedErr := s.text(ctx, version1, path); !errors.Is(versionedErr, errNoEndpoint) {
			text, err, version = versioned, versionedErr, version1
		}
	}
	if settles(text, err) {
		s.version.CompareAndSwap(nil, &version)
	}
	return text, err
}

// settles reports whether a response is a gateway's, so that its path prefix is right. Any server can respond
// with status 200.
func settles(text string, err error) bool {
	if err != nil {
		return errors.Is(err, chain.ErrNoBlock)
	}
	_, notJSON := jsonscan.Parse(text)
	return notJSON == nil
}

func (s *server) text(ctx context.Context, version, path string) (text string, err error) {
	full := versioned(version, path)
	empty := 0
	var final error // also a valid response: the gateway has no other
	err = s.http.Ask(ctx, func(ctx context.Context) error {
		answer, err := s.http.Get(ctx, full)
		switch {
		case err != nil:
			return err
		case !answer.IsSuccess():
			final, err = s.refusal(full, answer)
			return err
		case answer.Status == http.StatusNoContent:
			return &httpclient.UnusableError{Err: &sidecar.DecodeError{What: "answer", Err: fmt.Errorf("GET %s: %w", full, errNoContent)}}
		case answer.IsWebPage():
			return fmt.Errorf("GET %s: %w", full, s.http.WebPage(answer))
		case version == version1 && blockPath.MatchString(path):
			err := checkInherents(answer.Text)
			if empty++; err != nil && empty < maxEmpty {
				err = s.http.Unreachable(ctx, err) // so that it is retried
			}
			if err != nil {
				return err
			}
		}
		text = answer.Text
		return httpclient.Check(ctx, text)
	})
	return text, cmp.Or(err, final)
}

// maxEmpty is the number of times that the successor may return a block without extrinsics before the client
// accepts it.
const maxEmpty = 5

// checkInherents rejects a block other than block 0 that has no extrinsics. The successor sends such a block
// with status 200 when its own request to the node fails.
func checkInherents(text string) error {
	block, err := jsonscan.Parse(text)
	if err != nil {
		return nil // the decoder reports the problem
	}
	number, err := jsonread.Uint64(block.Member("number"))
	extrinsics := block.Member("extrinsics")
	if err != nil || number == 0 || extrinsics.Kind() != jsonscan.Array || extrinsics.Index(0).Kind() != jsonscan.Absent {
		return nil
	}
	return &sidecar.DecodeError{What: fmt.Sprintf("block %d", number), Err: sidecar.ErrNoInherents}
}

var errNoContent = errors.New("status 204: the response is empty")

// noBlockTexts are the messages of a gateway for a block that does not exist: Sidecar's for an unknown height
// or hash (status 500), Sidecar's for a height of more than 32 bits (status 400), and the successor's (status
// 400).
var noBlockTexts = []string{
	"Unable to retrieve header and parent from supplied hash",
	"Specified block number is larger than the current largest block",
	"Block not found",
}

// cannotTellTexts are the messages, with status 500 or 400, of a gateway that will never be able to answer a
// request: for a key that it cannot parse, a part of the chain that it does not know or that the runtime did
// not have, or data that its library cannot decode.
var cannotTellTexts = []string{
	"Cannot map",
	"not supported",
	"createType(",
	"Unable to decode",
	"Unable to create Enum",
	"Unable to find Call",
	"Could not find storage item",
	"was not recognized as a queryable pallet",
	"the archive lacks it", // from fees archive serve
}

// cannotTell reports whether a response with that status and message is permanent.
func cannotTell(status int, said string) bool {
	return (status == http.StatusInternalServerError || status == http.StatusBadRequest) &&
		slices.ContainsFunc(cannotTellTexts, func(text string) bool { return strings.Contains(said, text) })
}

// refusal interprets a response whose status is not a success: it returns a permanent error or a transient
// one.
func (s *server) refusal(path string, answer httpclient.Answer) (final, err error) {
	body, notJSON := jsonscan.Parse(answer.Text)
	said, ok := body.Member("message").Text()
	if !ok {
		said, _ = body.Member("error").Text() // from the successor
	}
	for _, text := range noBlockTexts {
		if strings.HasPrefix(said, text) {
			return chain.ErrNoBlock, nil
		}
	}
	refused := s.http.Refused(path, answer)
	switch {
	case httpclient.FailureOf(refused) == httpclient.Pruned:
		return fmt.Errorf("%w: %w", chain.ErrPruned, refused), nil
	case cannotTell(answer.Status, said):
		return fmt.Errorf("%w: %w", chain.ErrUnsupported, refused), nil
	case answer.Status != http.StatusNotFound:
		return nil, refused
	case notJSON == nil && strings.HasPrefix(path, version1+"/pallets/"): // from the successor: an unknown pallet or item
		return fmt.Errorf("%w: %w", chain.ErrUnsupported, refused), nil
	case notJSON == nil: // the successor reports a block this way; an unknown route is a web page
		return nil, fmt.Errorf("%w: %w", chain.ErrNoBlock, refused)
	}
	return nil, fmt.Errorf("%w: %w", errNoEndpoint, refused)
}

// Stream copies a response. It cannot reveal whether the gateway's paths have a version prefix, because the
// response is not inspected.
func (s *server) Stream(ctx context.Context, path string, w io.Writer) (int64, error) {
	version := noVersion
	known := s.version.Load()
	if known != nil {
		version = *known
	}
	n, err := s.streamFrom(ctx, version, path, w)
	if errors.Is(err, errNoEndpoint) && known == nil {
		return s.streamFrom(ctx, version1, path, w)
	}
	return n, err
}

func (s *server) streamFrom(ctx context.Context, version, path string, w io.Writer) (n int64, err error) {
	full := versioned(version, path)
	var broken error // after data had arrived, or permanent
	err = s.http.Ask(ctx, func(ctx context.Context) error {
		answer, written, err := s.http.Stream(ctx, full, w)
		switch n = written; {
		case err != nil && n > 0:
			broken = err
			return nil
		case err == nil && !answer.IsSuccess():
			broken, err = s.refusal(full, answer)
		}
		return err
	})
	return n, cmp.Or(err, broken)
}
