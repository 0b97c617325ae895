package console

import "fmt"

// Counted returns a number with its noun: "1 block", "2 blocks".
func Counted[N ~int | ~uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Verb returns the verb form for n: Verb(1, "is", "are") is "is".
func Verb[N ~int | ~uint64](n N, singular, plural string) string {
	if n == 1 {
		return singular
	}
	return plural
}
