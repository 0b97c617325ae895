// Package sidecar has the answers of Substrate API Sidecar: it reads their JSON into the
// vocabulary of package chain, wherever the text comes from, and says how large one may be.
package sidecar
