// Package ask is how a gateway and a node are asked: with which options and credentials,
// how often, and with which errors. What is asked, and what the answers mean, is for the
// packages of the gateway and of the node.
//
// A question whose answer fails for now is asked again until its total time is over. A
// question that no further attempt can help is asked once.
package ask
