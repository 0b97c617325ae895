// Package explain explains one fee: the inputs that it follows from, each with its field;
// each step with its formula, values and result; the cash that the chain moved; and the
// verdict. Each value in a step is an input or the result of an earlier step.
package explain
