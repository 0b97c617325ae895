// Package block decodes a block from SCALE, the chain's own encoding, with the metadata of the runtime that executed it:
// the values that rules read, as package schema lists them. Package gatewayclient/sidecar decodes the same values from
// JSON.
//
// Values that no rule reads are skipped: their structure is checked, their content is not.
//
// Source: the types of the metadata; Sidecar's names of pallets, calls, events, fields and variants.
package block
