#include "go_asm.h"
#include "textflag.h"

GLOBL ·signalEntry(SB), NOPTR|RODATA, $8
DATA ·signalEntry(SB)/8, $·handOver(SB)

// void handOver(uintptr value, Signal *s) follows the C convention: see SignalEntry.
TEXT ·handOver(SB), NOSPLIT|NOFRAME, $0-0
	MOVD  R0, Signal_value(R1)
	ADD   $Signal_set, R1, R0
	MOVD  $1, R9
	STLRW R9, (R0)
	MOVD  $const_futexWake, R1
	MOVD  $1, R2               // threads to wake
	MOVD  $98, R8              // futex
	SVC   $0
	RET
