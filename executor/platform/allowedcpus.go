package platform

// firstCPUs returns the numbers 0 to n-1.
func firstCPUs(n int) []int {
	list := make([]int, max(1, n))
	for i := range list {
		list[i] = i
	}
	return list
}
