#include "go_asm.h"
#include "textflag.h"

GLOBL ·signalEntry(SB), NOPTR|RODATA, $8
DATA ·signalEntry(SB)/8, $·handOver(SB)

// void handOver(uintptr value, Signal *s) follows the C convention: see SignalEntry.
TEXT ·handOver(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ  DI, Signal_value(SI)
	LEAQ  Signal_set(SI), DI
	MOVL  $1, AX
	XCHGL AX, (DI)
	MOVL  $const_futexWake, SI
	MOVL  $1, DX               // threads to wake
	MOVL  $202, AX             // futex
	SYSCALL
	RET
