// Command soak is what soak.sh runs: "soak FOLDER HOURS SEED" disturbs runs of FOLDER/zonemark until the time is over.
package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"zonemark/cmd/zonemark/internal/slurmtest"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("want FOLDER HOURS SEED, got %q", args)
	}
	hours, err := strconv.ParseFloat(args[1], 64)
	if err != nil {
		return err
	}
	seed, err := strconv.ParseUint(args[2], 10, 64)
	if err != nil {
		return err
	}
	s := &soak{folder: args[0], rng: rand.New(rand.NewPCG(seed, 0)), made: map[string]int{}}
	var program slurmtest.Program
	return program.Run(func() error {
		if err := s.findPlaces(&program); err != nil {
			return err
		}
		return s.last(hours, seed)
	})
}

// last makes rounds for so many hours, or until it is interrupted.
func (s *soak) last(hours float64, seed uint64) (err error) {
	if s.before, err = s.files(); err != nil {
		return err
	}
	s.mounts = canMount()
	fmt.Printf("soak: %.3g hours, seed %d, in %s; a full disk %s\n", hours, seed, s.folder,
		map[bool]string{true: "is a tmpfs in a mount namespace", false: "is left out: no mount namespaces here"}[s.mounts])
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	rounds, results, start := 0, 0, time.Now()
	for ; time.Since(start).Hours() < hours && interrupted.Err() == nil; rounds++ {
		n, err := s.round(rounds)
		if err != nil {
			return fmt.Errorf("round %d: %w; what it left is in %s", rounds, err, s.folder)
		}
		results += n
	}
	var words []string
	for _, kind := range slices.Sorted(maps.Keys(s.made)) {
		words = append(words, fmt.Sprintf("%s %d", kind, s.made[kind]))
	}
	fmt.Printf("soak: %d rounds, %d results in %v, nothing lost, nothing double, nothing left; %s\n", rounds, results,
		time.Since(start).Round(time.Second), strings.Join(words, ", "))
	return nil
}

// soak is the whole test.
type soak struct {
	folder string
	rng    *rand.Rand
	before []string // the files that are there without a run
	mounts bool
	made   map[string]int // disturbances, by kind
	output bytes.Buffer   // what the run has written to stderr
	deadly bool           // an executor was killed in this round
	detail string         // of the present disturbance, for people

	abandoned bool // a host's process was killed in this round

	places  []place
	place   *place             // of this round
	cluster *slurmtest.Cluster // nil: there is none
	network *network           // nil: there is none
}

func (s *soak) in(names ...string) string {
	return filepath.Join(append([]string{s.folder}, names...)...)
}

func (s *soak) journal() string { return s.in("in", "results.ndjson") }

// round makes a suite, disturbs its run some times, finishes it, and checks what is there. It returns the number of
// results.
func (s *soak) round(number int) (int, error) {
	suite := suites[s.rng.IntN(len(suites))]
	if err := os.WriteFile(s.in("in", "suite.toml"), []byte(suite.text), 0o666); err != nil {
		return 0, err
	}
	n := suite.invocations
	s.place = &s.places[s.rng.IntN(len(s.places))]
	if suite.here {
		s.place = &s.places[0]
	}
	var log []string
	start, kept := time.Now(), results{}
	for range 1 + s.rng.IntN(5) {
		if s.complete() == nil {
			break // nothing is left to disturb
		}
		d := s.choose()
		what, err := s.disturbed(d)
		log = append(log, what)
		if err == nil {
			kept, err = s.kept(kept)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", strings.Join(log, ", "), err)
		}
	}
	err := s.mend()
	if err == nil {
		err = s.finished(kept, n)
	}
	if err == nil {
		err = s.revisit()
	}
	if err == nil {
		err = s.nothingLeft()
	}
	fmt.Printf("round %d on %s: %d invocations in %.1f s: %s\n", number, s.place.name, n, time.Since(start).Seconds(),
		strings.Join(log, ", "))
	if err != nil {
		return 0, err
	}
	return n, s.clear()
}

// suites are texts of suites with the numbers of their invocations. Long ones have a journal in which what results
// share stands once. The one of commands shows whether programs of the user are left.
var suites = []struct {
	invocations int
	here        bool // hosts do not measure it
	text        string
}{{40, false, functions(40)}, {200, false, functions(200)}, {1100, false, functions(1100)}, {20, true, `[[invocation]]
name = "sleep"
command = ["sleep", "{seconds}"]
launches = 1
min_time = "10ms"
max_time = "100ms"
[invocation.axes]
seconds = { from = 0.01, to = 0.20, step = 0.01 }
`}}

func functions(n int) string {
	return fmt.Sprintf(`[[invocation]]
name = "add"
artifact = "large.hat"
launches = 1
min_time = "100us"
max_time = "1ms"
[invocation.axes]
seed = { from = 1, to = %d, step = 1 }
`, n)
}
