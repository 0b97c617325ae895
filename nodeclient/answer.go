package nodeclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/wire"
)

// encode writes a question.
func encode(id uint64, method string, params []any) ([]byte, error) {
	if params == nil {
		params = []any{}
	}
	text, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		ID      uint64 `json:"id"`
		Method  string `json:"method"`
		Params  []any  `json:"params"`
	}{"2.0", id, method, params})
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	return text, nil
}

// message is what a node sends: the answer to a question, with a result or a
// failure, or the notice of a subscription.
type message struct {
	id      string // of the question, as JSON; "" in a notice and where the node could not read one
	result  wire.Value
	failure *RPCError
	notice  *notice
}

// notice is what a node sends without being asked: news of a subscription, or its
// end.
type notice struct {
	subscription string // its id, as JSON
	result       wire.Value
	end          *RPCError // why the node ended it, nil while it goes on
}

var (
	errBatch      = errors.New("it is a list of answers to one question")
	errBoth       = errors.New("it has both a result and an error")
	errNeither    = errors.New("it has neither a result nor an error")
	errNoID       = errors.New("it has no id")
	errBinary     = errors.New("it is binary, not text")
	errBadID      = errors.New("id: want the number of a question")
	errNotRefusal = errors.New("error: want an object")
	errNotNotice  = errors.New("want a notice with the id of a subscription, and no id of a question")
)

// decodeMessage reads what a node sent, and proves it to be JSON to its last byte.
func decodeMessage(text string) (message, error) {
	m, err := readMessage(text)
	if err != nil {
		return message{}, &DecodeError{"answer", err}
	}
	return m, nil
}

func readMessage(text string) (message, error) {
	var id, method, params, result, failure wire.Value
	batch := false
	err := wire.Scan(text, func(s *wire.Scanner) {
		if batch = s.IsArray(); batch {
			s.Skip()
			return
		}
		s.Object()
		for s.Member() {
			switch s.Key() {
			case "id":
				id = s.Value()
			case "method":
				method = s.Value()
			case "params":
				params = s.Value()
			case "result":
				result = s.Value()
			case "error":
				failure = s.Value()
			default:
				s.Skip()
			}
		}
	})
	switch {
	case err != nil:
		return message{}, err
	case batch:
		return message{}, errBatch
	case method.Kind() != wire.Absent:
		return readNotice(id, params)
	}
	return readAnswer(id, result, failure)
}

func readAnswer(id, result, failure wire.Value) (message, error) {
	refused := failure.Kind() != wire.Absent
	answered := result.Kind() != wire.Absent
	switch {
	case refused && answered:
		return message{}, errBoth
	case !refused && !answered:
		return message{}, errNeither
	}
	m := message{result: result}
	if refused {
		var err error
		if m.failure, err = readRefusal(failure); err != nil {
			return message{}, err
		}
	}
	switch id.Kind() {
	case wire.Absent:
		return message{}, errNoID
	case wire.Number:
		m.id = id.Raw()
		return m, nil
	case wire.Null: // a question that the node could not read
		if refused {
			return m, nil
		}
	}
	return message{}, errBadID
}

func readRefusal(v wire.Value) (*RPCError, error) {
	if v.Kind() != wire.Object {
		return nil, errNotRefusal
	}
	e := &RPCError{Data: v.Member("data")}
	e.Message, _ = v.Member("message").Text()
	if code, err := strconv.ParseInt(v.Member("code").Raw(), 10, 64); err == nil {
		e.Code = chain.Some(code)
	}
	return e, nil
}

func readNotice(id, params wire.Value) (message, error) {
	n := &notice{result: params.Member("result")}
	subscription := params.Member("subscription")
	if !isSubscription(subscription) || id.Kind() != wire.Absent {
		return message{}, errNotNotice
	}
	n.subscription = subscription.Raw()
	if n.result.Kind() == wire.Absent {
		end, err := readRefusal(params.Member("error"))
		if err != nil {
			return message{}, err
		}
		n.end = end
	}
	return message{notice: n}, nil
}

// isSubscription tells whether a value can be the id of a subscription.
func isSubscription(v wire.Value) bool { return v.Kind() == wire.String || v.Kind() == wire.Number }
