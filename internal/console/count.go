package console

import "strconv"

// Counted returns a number with its noun: "1 block", "2,000 blocks".
func Counted[N ~int | ~uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if n < 0 {
		return strconv.FormatInt(int64(n), 10) + " " + what + "s"
	}
	return Grouped(uint64(n)) + " " + what + "s"
}

// Verb returns the verb form for n: Verb(1, "is", "are") is "is".
func Verb[N ~int | ~uint64](n N, singular, plural string) string {
	if n == 1 {
		return singular
	}
	return plural
}

// Grouped formats a number with commas between thousands.
func Grouped(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
