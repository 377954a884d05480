package watching

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestFamilyStopped stops a process that a watched process has started. Without a family, nobody sees it.
func TestFamilyStopped(t *testing.T) {
	if _, err := os.Stat("/proc/thread-self/children"); err != nil {
		t.Skip("this system does not tell of children: ", err)
	}
	cmd := exec.Command("sh", "-c", "sh -c 'sleep 1000; :'; :")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	until := func(what string, done func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal(what)
			}
		}
	}
	var grandchildren []int
	until("there is no grandchild", func() bool {
		for _, child := range Children(cmd.Process.Pid) {
			grandchildren = Children(child)
		}
		return len(grandchildren) == 1
	})
	family, alone := Limits{Family: true}.Watch(cmd.Process), Limits{}.Watch(cmd.Process)
	if err := syscall.Kill(grandchildren[0], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	until("it is not seen to be stopped", func() bool { return family.Stopped() > 2*familyEvery })
	if alone.Stopped() != 0 {
		t.Errorf("a watch without a family saw %v", alone.Stopped())
	}
	if err := syscall.Kill(grandchildren[0], syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	family.Renew()
	until("it still counts as stopped", func() bool { return !familyStopped(cmd.Process.Pid) })
	family.Stop()
	alone.Stop()
}

// FuzzChildren reads what the kernel writes about the children of a thread.
func FuzzChildren(f *testing.F) {
	f.Add("1 2 3 ")
	f.Add("-1 99999999999999999999 x")
	f.Fuzz(func(t *testing.T, text string) {
		if list := parseChildren([]byte(text)); len(list) > 0 && slices.Min(list) <= 0 {
			t.Errorf("%q: %v", text, list)
		}
	})
}

func TestParseChildren(t *testing.T) {
	if got := parseChildren([]byte("12 345 -1 0 x 99999999999 7\n")); !slices.Equal(got, []int{12, 345, 7}) {
		t.Errorf("%v", got)
	}
}
