// Package docs runs the commands that the README and the pages of docs show.
package docs

import (
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
)

func TestMain(m *testing.M) { e2e.Main(m) }
