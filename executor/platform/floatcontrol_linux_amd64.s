#include "textflag.h"

// func floatControl() uint64
TEXT ·floatControl(SB), NOSPLIT, $8-8
	MOVQ    $0, word-8(SP)
	STMXCSR word-8(SP)
	MOVL    word-8(SP), AX
	ANDL    $0xffc0, AX         // without the flags of what has happened
	FSTCW   word-8(SP)
	MOVWQZX word-8(SP), CX
	SHLQ    $32, CX
	ORQ     CX, AX
	MOVQ    AX, ret+0(FP)
	RET
