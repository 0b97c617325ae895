// Package simulation is for tests.
package simulation
