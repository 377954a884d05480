package threads

// restorerFlag is SA_RESTORER (asm/signal.h): on amd64 the kernel needs the function that a handler returns to.
const restorerFlag = 0x04000000
