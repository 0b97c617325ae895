// Package queue distributes a range of blocks among any number of workers on any machines, as jobs of River in the
// PostgreSQL database that stores the ledger.
//
//  1. Enqueue cuts the range into jobs.
//  2. A worker takes a job, finds its missing blocks, has them judged, and stores them. The rows and the end
//     of the job are one transaction: a worker that dies loses nothing and duplicates nothing.
//  3. Blocks not judged after half of the time limit become a new job, in the same transaction. A live job
//     therefore never looks like a dead one. If time is too short for one block, or to store the blocks, the job
//     gets twice the time at its next attempt.
//  4. After one and a half times the limit, River gives a dead worker's job to another worker. It looks for such
//     jobs every 30 s.
//  5. A failed job is retried after 1 s, 2 s, 4 s … 1 minute, for a week.
//  6. The workers seal stored blocks.
//
// # Before you change it
//
// River's own reports about a job (failed, put back, rescued) check only its state. Three rules make them harmless:
//
//   - Only the transaction that stores a job's blocks completes it. worker.Work always returns an error: River
//     ignores it if the job is completed, and repeats the job if the database lost that transaction.
//   - hold ties each change to the time of the attempt, attempted_at. A worker wrongly considered dead therefore
//     stores nothing once another has taken over its job.
//   - hold ignores other states than completed, so that a late report of an earlier attempt stops no present one.
//
// Times decide only how long a dead worker's job waits, never what is stored.
package queue
