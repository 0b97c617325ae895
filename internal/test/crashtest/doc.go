// Package crashtest shows which states of its files a program can leave when the machine crashes, and makes system calls
// of a program fail. It is for tests.
//
// A crash keeps what was synced. Everything else may be kept, lost or torn. [Run] uses strace to record what a program
// does to the files of a directory, and [History.Crashes] derives possible states from the recording, by a seed:
//
//   - Each write to a file since its last sync is either there or not, independently of others; or only some of its
//     sectors of 512 or 4096 bytes are. If a lost write extended the file, the file may have grown anyway, with zeros. A
//     change of size is there or not.
//
//   - Name changes (creating, renaming, linking and removing files and directories) are lost unless the directory was
//     synced, even if the file was. They are lost in order: if one is there, all earlier ones are. File system journals
//     guarantee this.
//
//   - After a failed sync ([History.AfterFailedSyncs]), the system gives up the data written to the file since the
//     previous sync: it considers the data written, and no later sync writes it, as in Linux since 4.13. Only data that
//     is written again is kept. Names are not given up: a file system that cannot write its journal stops accepting
//     changes.
//
// A program that is correct on such a disk tolerates more than ext4, XFS or Btrfs require.
//
// # Limits
//
// A sector is never half written, and synced data never changes. Writes through mmap are not seen: a file for which that
// matters fails the test (SQLite's …-shm does not matter, because it is recreated after a crash).
package crashtest
