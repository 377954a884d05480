//go:build !(amd64 || arm64) || windows

#include "textflag.h"

// emptyFunction is the target of the calibration: a C function, in any convention, that only returns.
TEXT ·emptyFunction(SB), NOSPLIT|NOFRAME, $0-0
	RET

GLOBL ·emptyFunctionEntry(SB), NOPTR|RODATA, $8
DATA ·emptyFunctionEntry(SB)/8, $·emptyFunction(SB)
