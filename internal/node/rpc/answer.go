package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// question is a method call.
type question struct {
	method string
	params []any
}

// encode writes one request, or several as a batch, with consecutive ids from first on.
func encode(first uint64, questions []question) ([]byte, error) {
	type form struct {
		Version string `json:"jsonrpc"`
		ID      uint64 `json:"id"`
		Method  string `json:"method"`
		Params  []any  `json:"params"`
	}
	forms := make([]form, len(questions))
	for i, q := range questions {
		if q.params == nil {
			q.params = []any{}
		}
		forms[i] = form{"2.0", first + uint64(i), q.method, q.params}
	}
	var one any = forms
	if len(forms) == 1 {
		one = forms[0]
	}
	text, err := json.Marshal(one)
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	return text, nil
}

// message is a message from a node: the answer to a request, with a result or an error, or a subscription notice.
type message struct {
	id      string // of the request, as JSON; "" in a notice, or if the node could not read the id
	result  jsonscan.Value
	failure *RPCError
	notice  *notice
}

// notice is an unsolicited message: news of a subscription, or its end.
type notice struct {
	subscription string // its id, as JSON
	result       jsonscan.Value
	end          *RPCError // why the node ended it; nil while it is open
}

var (
	errBatch      = errors.New("a list of answers to a single request")
	errEmptyBatch = errors.New("an empty list of answers")
	errBoth       = errors.New("both a result and an error")
	errNeither    = errors.New("neither a result nor an error")
	errNoID       = errors.New("no id")
	errBinary     = errors.New("binary instead of text")
	errBadID      = errors.New("id: want the number of a request")
	errNotRefusal = errors.New("error: want an object")
	errNotNotice  = errors.New("want a notice with a subscription id and without a request id")
)

// decodeMessages parses a message or a batch from a node, and checks that it is valid JSON to its last byte.
func decodeMessages(text string) (messages []message, batch bool, err error) {
	var all []members
	err = jsonscan.Scan(text, func(s *jsonscan.Scanner) {
		if batch = s.IsArray(); !batch {
			all = append(all, readMembers(s))
			return
		}
		s.Array()
		for s.Element() {
			all = append(all, readMembers(s))
		}
	})
	if err == nil && len(all) == 0 {
		err = errEmptyBatch
	}
	for _, m := range all {
		if err != nil {
			break
		}
		var one message
		if one, err = m.message(); err == nil {
			messages = append(messages, one)
		}
	}
	if err != nil {
		return nil, false, &DecodeError{"answer", err}
	}
	return messages, batch, nil
}

// members contains the relevant members of a message.
type members struct{ id, method, params, result, failure jsonscan.Value }

func readMembers(s *jsonscan.Scanner) (m members) {
	s.Object()
	for s.Member() {
		switch s.Key() {
		case "id":
			m.id = s.Value()
		case "method":
			m.method = s.Value()
		case "params":
			m.params = s.Value()
		case "result":
			m.result = s.Value()
		case "error":
			m.failure = s.Value()
		default:
			s.Skip()
		}
	}
	return m
}

func (m *members) message() (message, error) {
	if m.method.Kind() != jsonscan.Absent {
		return readNotice(m.id, m.params)
	}
	return readAnswer(m.id, m.result, m.failure)
}

// readAnswer reads an answer. JSON-RPC 2.0 omits either result or error; some servers send both, as JSON-RPC 1.0 does, and
// null for the one that does not apply.
func readAnswer(id, result, failure jsonscan.Value) (message, error) {
	refused := isGiven(failure)
	answered := isGiven(result) || result.Kind() == jsonscan.Null && !refused
	switch {
	case refused && answered:
		return message{}, errBoth
	case !refused && !answered:
		return message{}, errNeither
	}
	m := message{result: result}
	if refused {
		m.result = jsonscan.Value{}
		var err error
		if m.failure, err = readRefusal(failure); err != nil {
			return message{}, err
		}
	}
	switch id.Kind() {
	case jsonscan.Absent:
		return message{}, errNoID
	case jsonscan.Number:
		m.id = id.Raw()
		return m, nil
	case jsonscan.Null: // a request that the node could not read
		if refused {
			return m, nil
		}
	}
	return message{}, errBadID
}

// isGiven reports whether a member is present and not null.
func isGiven(v jsonscan.Value) bool { return v.Kind() != jsonscan.Absent && v.Kind() != jsonscan.Null }

func readRefusal(v jsonscan.Value) (*RPCError, error) {
	if v.Kind() != jsonscan.Object {
		return nil, errNotRefusal
	}
	e := &RPCError{Data: v.Member("data")}
	e.Message, _ = v.Member("message").Text()
	if code, err := strconv.ParseInt(v.Member("code").Raw(), 10, 64); err == nil {
		e.Code = chain.Some(code)
	}
	return e, nil
}

func readNotice(id, params jsonscan.Value) (message, error) {
	n := &notice{result: params.Member("result")}
	subscription := params.Member("subscription")
	if !isSubscription(subscription) || id.Kind() != jsonscan.Absent {
		return message{}, errNotNotice
	}
	n.subscription = subscription.Raw()
	if failure := params.Member("error"); n.result.Kind() == jsonscan.Absent || isGiven(failure) {
		if isGiven(n.result) {
			return message{}, errBoth
		}
		n.result = jsonscan.Value{}
		end, err := readRefusal(failure)
		if err != nil {
			return message{}, err
		}
		n.end = end
	}
	return message{notice: n}, nil
}

// isSubscription reports whether a value can be a subscription id.
func isSubscription(v jsonscan.Value) bool {
	return v.Kind() == jsonscan.String || v.Kind() == jsonscan.Number
}
