package platform

// Usage is what the system has counted of a thread since its start.
type Usage struct {
	Involuntary int64 // how often it was taken off its CPU against its will
	Voluntary   int64 // how often it gave its CPU up, to wait
	Faults      int64 // pages that were not there when it touched them
}

// Switches is how often the thread left its CPU.
func (u Usage) Switches() int64 { return u.Involuntary + u.Voluntary }
