package platform

import (
	"runtime"
	"testing"
	"time"
)

func TestThreadCounters(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	usage, before, process := ThreadUsage(), ThreadCPUTimeNS(), ProcessCPUTimeNS()
	spent := 0
	for start := time.Now(); time.Since(start) < 20*time.Millisecond; {
		spent++
	}
	if after := ThreadCPUTimeNS(); after <= before && (runtime.GOOS == "linux" || runtime.GOOS == "darwin") {
		t.Errorf("the thread used CPU, its time went from %d to %d ns", before, after)
	}
	if after := ProcessCPUTimeNS(); after <= process && (runtime.GOOS == "linux" || runtime.GOOS == "darwin") {
		t.Errorf("the process used CPU, its time went from %d to %d ns", process, after)
	}
	runtime.KeepAlive(spent)
	now := ThreadUsage()
	if now.Involuntary < usage.Involuntary || now.Voluntary < usage.Voluntary || now.Faults < usage.Faults ||
		now.Switches() < usage.Switches() {
		t.Errorf("what the system counts went from %+v to %+v", usage, now)
	}
}
