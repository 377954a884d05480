package platform

// Usage holds the system's counts for a thread since its start.
type Usage struct {
	Involuntary int64 // how often the system took it off its CPU
	Voluntary   int64 // how often it gave up its CPU, to wait
	Faults      int64 // pages that were not present when it touched them
	SystemNS    int64 // CPU time that the system spent for it; counted in ticks
}

// Switches returns how often the thread left its CPU.
func (u Usage) Switches() int64 { return u.Involuntary + u.Voluntary }

// CheckPin returns the error that Pin would return, and pins nothing.
func CheckPin(cpu int) error {
	result := make(chan error)
	go func() { result <- Pin(cpu) }() // a thread that is locked ends with its goroutine
	return <-result
}

// firstCPUs returns the numbers 0 to n-1.
func firstCPUs(n int) []int {
	list := make([]int, max(1, n))
	for i := range list {
		list[i] = i
	}
	return list
}
