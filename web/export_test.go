package web

// Paths are those of the answers for programs.
func Paths() (list []string) {
	for _, a := range answers() {
		list = append(list, a.path)
	}
	return list
}
