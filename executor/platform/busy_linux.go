package platform

import (
	"bytes"
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// BusyTimes returns for how long the CPUs of the machine have been busy, and idle, in nanoseconds, all CPUs together. The
// system counts these times in ticks, of which it shows those of 10 ms. It returns 0 and 0 if it does not tell.
func BusyTimes() (busyNS, idleNS int64) {
	var text [256]byte
	return parseBusy(readProc(unix.AT_FDCWD, "/proc/stat", text[:]))
}

// procTick is the unit of time of /proc/stat (USER_HZ).
const procTick = int64(10 * time.Millisecond)

// parseBusy reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq and steal; guest times,
// which are in those of users already, are left out. See proc(5).
func parseBusy(text []byte) (busyNS, idleNS int64) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 5 || string(fields[0]) != "cpu" {
		return 0, 0
	}
	for i, field := range fields[1:min(len(fields), 9)] {
		ticks, ok := firstNumber(field)
		if !ok || ticks < 0 || ticks > math.MaxInt64/16/procTick {
			return 0, 0
		}
		if i == 3 || i == 4 {
			idleNS += ticks * procTick
		} else {
			busyNS += ticks * procTick
		}
	}
	return busyNS, idleNS
}
