#include "textflag.h"

GLOBL ·performEntry(SB), NOPTR|RODATA, $8
DATA ·performEntry(SB)/8, $·perform(SB)

// func perform(number uintptr, arguments *[6]uintptr) (result uintptr)
TEXT ·perform(SB), NOSPLIT, $0-24
	MOVD number+0(FP), R8
	MOVD arguments+8(FP), R9
	LDP  0(R9), (R0, R1)
	LDP  16(R9), (R2, R3)
	LDP  32(R9), (R4, R5)
	SVC
	MOVD R0, result+16(FP)
	RET
