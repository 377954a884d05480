package invocations

// Keys of Result.Properties for calls that run in processes of their own.
const (
	UserProperty   = "user_ns"   // median CPU time in user mode
	SystemProperty = "system_ns" // median CPU time in the kernel
)
