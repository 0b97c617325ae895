// Package explain explains a fee: its inputs with their source fields, each step with formula, values and
// result, the amounts that the chain moved, and the verdict. Each value in a step is an input or the result of
// an earlier step.
package explain
