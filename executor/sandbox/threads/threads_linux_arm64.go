package threads

// restorerFlag is 0, since on arm64 a handler returns to the kernel's own page.
const restorerFlag = 0
