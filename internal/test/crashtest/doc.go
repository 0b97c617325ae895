// Package crashtest shows what a crash of the machine can leave of the files that a program
// writes, and has the system fail its calls. It is for tests.
//
// A crash keeps what was synced. What was not may be there, be lost, or be torn. [Run] has
// strace write down what a program does to the files of a directory, and [History.Crashes]
// makes states of it, by a seed:
//
//   - Each write to a file since the file was synced last is there or not, whatever came before
//     or after it; or only some of its sectors are, of 512 or 4096 bytes. Where a file would
//     have grown by a write that is lost, it may have grown nevertheless, with zeros. A change
//     of its size is there or not.
//
//   - Names (of new files and directories, renamed, linked and removed ones) are lost unless
//     their directory was synced, even where the file was. They are lost in their order: where
//     one is there, all changes of names before it are. Journals of file systems keep it.
//
//   - A sync that failed ([History.AfterFailedSyncs]) has the system give up what the file was
//     given since the one before: it takes it as written, and no later sync writes it, as Linux
//     does since 4.13. Only what is written once more is. Names are not given up: a file system
//     that cannot write its journal takes no more changes.
//
// A program that is right on such a disk is right on more than what ext4, XFS or Btrfs leave.
//
// # What is not there
//
// A sector is never half written, and what was synced never changes. What is written by mmap
// is not seen: a file of which that would matter fails the test (SQLite's …-shm does not: it is
// made anew after a crash).
package crashtest
