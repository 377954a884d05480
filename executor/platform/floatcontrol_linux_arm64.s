#include "textflag.h"

// func floatControl() uint64
TEXT ·floatControl(SB), NOSPLIT, $0-8
	MRS  FPCR, R0
	MOVD R0, ret+0(FP)
	RET
