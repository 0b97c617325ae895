package users_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/internal/web/users"
)

// Set a user's password, and check another one.
func Example() {
	directory, err := os.MkdirTemp("", "fees-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	text, err := users.Set(filepath.Join(directory, "users.txt"), "anna", "correct horse battery", nil)
	if err != nil {
		log.Fatal(err)
	}
	known, err := users.Parse("users.txt", text)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(known.Fit("anna", "correct horse battery"), known.Fit("anna", "another"), known.Fit("bob", "another"))
	// Output: true false false
}
