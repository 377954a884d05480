package platform

// CheckPin returns the error that Pin would return, and pins nothing.
func CheckPin(cpu int) error {
	result := make(chan error)
	go func() { result <- Pin(cpu) }() // a thread that is locked ends with its goroutine
	return <-result
}
