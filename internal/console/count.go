package console

import "fmt"

// Counted is so many of something: "1 block", "2 blocks".
func Counted[N ~int | ~uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Verb is the verb for so many: Verb(1, "is", "are") is "is".
func Verb[N ~int | ~uint64](n N, ofOne, ofMany string) string {
	if n == 1 {
		return ofOne
	}
	return ofMany
}
