// Package queue distributes a range of blocks among any number of workers on any machines, as jobs of River in the
// PostgreSQL database that stores the ledger. [Enqueue] cuts the range into jobs. [Work] takes jobs, has their missing
// blocks judged, stores them, and seals what is stored. [Jobs] counts the jobs.
//
// The rows and the end of a job are one transaction: a worker that dies loses nothing and duplicates nothing. Another
// worker gets its job after one and a half times the job's time limit; River looks for such jobs every 30 s. Blocks not
// judged after half of the limit become a new job. If that is too short for one block, or to store the blocks, the job
// gets twice the time at its next attempt. A failed job is retried after 1 s, 2 s, 4 s … 1 minute, for a week.
package queue
