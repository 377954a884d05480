package driver

import "zonemark/driver/schedule"

// What tests of whole runs know of turns, steps and races.
const (
	turnNS                = schedule.TurnNS
	longestTurn           = turnNS * 3 / 2
	leastTurns, mostTurns = 4, 16
	longestStepped        = 250_000
	stepNS                = 100_000
	turnsInSteps          = 2
	exchangeLeast         = 32 << 10
	exchangeLaunches      = 8
	mostLooks             = 4 // of a race, brief ones
	fullLaunches          = 3
	shortRounds           = 7 // of a race of few
)
