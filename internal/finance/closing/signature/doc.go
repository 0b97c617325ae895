// Package signature signs a text with an SSH key, and tells who signed it: by OpenSSH's
// format of signatures (SSHSIG) and its list of allowed signers, so that a company uses the
// keys and the lists that it has. What [Key.Sign] writes, "ssh-keygen -Y verify" reads, and
// what "ssh-keygen -Y sign" writes, [Read] reads.
//
// A signature is of a text for a purpose, its namespace: one that was made for another
// purpose does not hold.
//
// Certificates of an SSH authority are not read: a key stands for itself.
//
// # Before you change it
//
// A list that cannot be read as a whole is refused, where ssh-keygen passes over some of
// its lines: a line that is passed over may be the one that limits a key.
package signature
