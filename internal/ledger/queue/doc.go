// Package queue distributes a range of blocks among any number of workers on any machines, as jobs in the
// PostgreSQL database that stores the ledger.
//
//  1. Enqueue cuts the range into jobs.
//  2. A worker takes a job, finds its missing blocks, has them judged, and stores them. The rows and the end
//     of the job are one transaction: a worker that dies loses nothing and duplicates nothing.
//  3. Blocks not judged after half of the time limit become a new job, in the same transaction. A live job
//     therefore never looks like a dead one. If storing exceeds the other half, the worker halves its batches.
//     If a single block exceeds it, the job's time is doubled.
//  4. After one and a half times the limit, another worker takes over the job of a dead worker.
//  5. A failed job is retried after 1 s, 2 s, 4 s … 1 minute, for a week.
//  6. The workers seal stored blocks.
//
// # Before you change it
//
// A job is a row of the table jobs. The worker that takes it writes the time into it, and every later change
// of the job depends on that time (job.change). A worker wrongly considered dead therefore stores nothing once
// another has taken over its job. Times decide only how long a dead worker's job waits, never what is stored.
package queue
