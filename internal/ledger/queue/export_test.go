package queue

// SealRest seals like a worker that has finished, with a limit for waiting for others.
var SealRest = sealRest
