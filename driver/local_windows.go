package driver

import "os"

func killGroup(p *os.Process) { _ = p.Kill() } // it may have ended

func exitOf(s *os.ProcessState) Exit { return Exit{Code: s.ExitCode()} }
