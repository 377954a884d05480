package driver

import "os"

func killGroup(p *os.Process) { _ = p.Kill() } // it may have ended

// ExitOf is how a process that has been waited for ended; Stderr is left empty.
func ExitOf(s *os.ProcessState) Exit { return Exit{Code: s.ExitCode()} }
