#include "textflag.h"

GLOBL ·performEntry(SB), NOPTR|RODATA, $8
DATA ·performEntry(SB)/8, $·perform(SB)

// func perform(number uintptr, arguments *[6]uintptr) (result uintptr)
TEXT ·perform(SB), NOSPLIT, $0-24
	MOVQ number+0(FP), AX
	MOVQ arguments+8(FP), R12
	MOVQ 0(R12), DI
	MOVQ 8(R12), SI
	MOVQ 16(R12), DX
	MOVQ 24(R12), R10
	MOVQ 32(R12), R8
	MOVQ 40(R12), R9
	SYSCALL
	MOVQ AX, result+16(FP)
	RET
