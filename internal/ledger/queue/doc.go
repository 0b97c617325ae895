// Package queue shares a range of blocks among any number of workers on any machines, as jobs
// in the PostgreSQL database that holds the ledger.
//
//  1. Enqueue cuts the range into jobs.
//  2. A worker takes a job, asks the ledger what is missing of it, has that judged, and
//     stores it. The rows and the end of the job are one transaction: a worker that dies at
//     any moment loses nothing and doubles nothing.
//  3. What is not judged after half of the time limit becomes a job of its own, in that
//     transaction too. So no job that is alive ever looks like a dead one. Where storing
//     takes longer than the other half, the worker stores half as many blocks at once from
//     then on. Where one block takes longer, the job's time is doubled.
//  4. A job whose worker died is taken up by another after one and a half times the limit.
//  5. A job that failed is tried again after 1 s, 2 s, 4 s … 1 minute, for a week.
//  6. The workers seal what is stored.
//
// # Before you change it
//
// A job is a row of the table jobs. Who takes it writes the time into it, and whatever is stored,
// ended or said of the job goes with that time (job.change). So a worker that was taken for dead and
// was not stores nothing if another took up its job, and times only decide how long a dead worker's
// job waits, never what is stored.
package queue
