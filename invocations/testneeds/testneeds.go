// Package testneeds says what becomes of a test that lacks what it needs: a program, a runtime, a layer of the sandbox; and
// it starts tests again as another user. Only tests import it.
package testneeds

import "os"

// Test is the part of testing.TB that is needed.
type Test interface {
	Helper()
	Fatal(args ...any)
	Skip(args ...any)
}

// Missing ends a test if err is not nil: the test is skipped, or fails under CI=true, where everything is there.
func Missing(t Test, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}
