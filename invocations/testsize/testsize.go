// Package testsize says to tests how much to do, and what may come by chance where they count. By default a test does
// as little as finds its mistakes; with ZONEMARK_TEST_LARGE set, it does all, which takes much longer. Only tests import
// it.
package testsize

import (
	"math"
	"os"
)

// Variable names the environment variable that asks for the large size of tests.
const Variable = "ZONEMARK_TEST_LARGE"

// Large reports whether tests run in their large size.
func Large() bool { return os.Getenv(Variable) != "" }

// Of returns small, or large if tests run in their large size.
func Of(small, large int) int {
	if Large() {
		return large
	}
	return small
}

// AtMost returns how many of the trials may have an event that a share of them has at most. In the large size it is
// that share, so trials are many, and random numbers are the same in each test. In the small size it is Most.
func AtMost(trials int, share float64) int {
	if Large() {
		return int(math.Floor(share*float64(trials) + 1e-9)) // a share such as 1-0.9 is a little less than it should be
	}
	return Most(trials, share)
}

// AtLeast returns how many of the trials must have an event that a share of them has at least, as AtMost does.
func AtLeast(trials int, share float64) int { return trials - AtMost(trials, 1-share) }

// rare is the chance with which a count is beyond Most or Least.
const rare = 1e-6

// Most returns how many of the trials have an event that comes with a chance, at most: more have it by bad luck in
// fewer than one of a million tests. The trials are independent of each other.
func Most(trials int, chance float64) int {
	tail := 0.0 // chance of more than k events
	k := trials
	for ; k > 0; k-- {
		if tail += exactly(trials, k, chance); tail >= rare {
			break
		}
	}
	return k
}

// Least returns how many of the trials have an event that comes with a chance, at least: fewer have it by bad luck in
// fewer than one of a million tests.
func Least(trials int, chance float64) int { return trials - Most(trials, 1-chance) }

// exactly returns the chance of k events in n trials (the binomial distribution).
func exactly(n, k int, chance float64) float64 {
	if chance <= 0 || chance >= 1 {
		if k == n && chance >= 1 || k == 0 && chance <= 0 {
			return 1
		}
		return 0
	}
	ways := logFactorial(n) - logFactorial(k) - logFactorial(n-k)
	return math.Exp(ways + float64(k)*math.Log(chance) + float64(n-k)*math.Log1p(-chance))
}

func logFactorial(n int) float64 {
	value, _ := math.Lgamma(float64(n) + 1)
	return value
}
