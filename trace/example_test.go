package trace_test

import (
	"fmt"
	"log"

	"zonemark/trace"
)

// A capture is opened once and can be walked as often as one likes; memory does not grow with its zones.
func Example() {
	f, err := trace.Open("testdata/small_0112.tracy")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	fmt.Println(f.Info().ZoneCount, "zones on", f.Info().ThreadCount, "threads")

	shown := 0
	for zone, err := range f.Zones() {
		if err != nil {
			log.Fatal(err) // the zones before it are good
		}
		if zone.Depth == 0 {
			fmt.Printf("%s: %d ns, of them %d ns its own; text %q\n",
				zone.Name(), zone.DurationNS, zone.SelfNS, zone.Text)
			if shown++; shown == 3 {
				break
			}
		}
	}
	// Output:
	// 1000 zones on 3 threads
	// invoke: 3708 ns, of them 3316 ns its own; text "inv=85"
	// invoke: 585 ns, of them 323 ns its own; text "inv=86"
	// invoke: 581 ns, of them 330 ns its own; text "inv=87"
}

// A filter selects zones by name, text, thread, time, duration and depth.
func ExampleFilter() {
	f, err := trace.Open("testdata/small_0112.tracy")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	match, err := trace.Filter{MinDurationNS: 4500, Levels: 2}.Compile(f.Threads())
	if err != nil {
		log.Fatal(err)
	}
	for zone, err := range f.Zones() {
		if err != nil {
			log.Fatal(err)
		}
		if match(&zone) {
			fmt.Println(zone.Name(), zone.DurationNS)
		}
	}
	// Output:
	// invoke 5337
	// invoke 4990
	// invoke 28940
	// main_dispatch_84_matmul_672x1344 277567
	// invoke 278058
}
