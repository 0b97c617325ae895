// Package ask says how a gateway and a node are asked: with which options, limits and
// credentials, how often, and with which errors. What to ask, and what the answers mean, is
// up to the packages of the gateway and of the node.
//
// # Before you change it
//
// All questions go through [Client.Ask]. It asks again while the error is one that passes
// (see [Passes]), until the question's total time is over. It asks once where no further
// attempt can help.
//
// An address that never took a connection may be wrong: [Client.Ask] gives it up after three
// seconds. A place that answered before is waited for until the time is over.
//
// A caller that asks again by itself, such as source.Reader.Follow, says so with [Briefly].
// Then it hears within seconds what is wrong, and can say what it waits for.
package ask
