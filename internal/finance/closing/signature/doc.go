// Package signature signs a text with an SSH key and identifies its signers, using OpenSSH's signature format
// (SSHSIG) and its list of allowed signers, so that a company can use its existing keys and lists.
// "ssh-keygen -Y verify" accepts what [Key.Sign] writes, and [Read] accepts what "ssh-keygen -Y sign"
// writes.
//
// A signature is bound to a purpose, its namespace: a signature for another purpose is
// rejected.
//
// Certificates of SSH authorities are not supported: keys are listed individually.
package signature
