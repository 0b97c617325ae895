// Package keys reads private keys, and signs with them: from a mnemonic phrase (BIP-39, at m/44'/60'/0'/0/i),
// as 64 hex digits, or from an Ethereum keystore file (version 3).
//
// A secret comes from a file that only its owner can read, or is typed in; never from an argument or the
// environment, which others can see. Errors never contain any part of it, and a [Key] does not print itself.
//
// [Key.Wipe] and [Secret.Wipe] overwrite the bytes that they hold. Go does not allow a stronger guarantee: the
// garbage collector may have moved or copied them, a phrase is briefly a string (the BIP-39 library requires
// it), and the system may have swapped memory out. A machine that runs the accounting should not hold keys:
// sign on a different one.
package keys
