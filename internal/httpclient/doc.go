// Package httpclient says how a gateway and a node are asked: with which options, limits and
// credentials, how often, and with which errors. What to ask, and what the answers mean, is
// up to the packages of the gateway and of the node.
//
// # Before you change it
//
// All questions go through [Client.Ask]. It asks again by what [FailureOf] says of the error:
// failure.go has the one table of statuses, codes and texts. [Client.AskAll] says how long.
//
// An address that never took a connection may be wrong: [Client.Ask] gives it up after three
// seconds. One that never answered rightly is given up at once where it, or the key, may be
// wrong. A place that answered before is waited for until the time is over.
//
// A caller that asks again by itself, such as source.Reader.Follow, says so with [Briefly].
// Then it hears within seconds what is wrong, and can say what it waits for.
package httpclient
