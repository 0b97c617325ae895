// Package keys reads private keys, and signs with them: from a mnemonic phrase (BIP-39, at
// m/44'/60'/0'/0/i), as 64 hex digits, or from an Ethereum keystore file (version 3).
//
// A secret comes from a file that nobody else may read, or from somebody who types it; never
// from an argument or the environment, which others see. No error has any of it, and a [Key]
// does not print itself.
//
// [Key.Wipe] and [Secret.Wipe] overwrite the bytes that they hold. That is all that Go lets a
// program promise. The collector may have moved or copied them, a phrase has been a string for a
// moment (the library of BIP-39 takes no other), and the system may have swapped memory out. A
// machine that keeps books should hold no key at all: sign on another one.
package keys
