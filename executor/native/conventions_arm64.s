//go:build !windows

// A call of a C function, with a look at what it keeps. See checked.
#include "go_asm.h"
#include "textflag.h"
#include "frame_arm64.h"

GLOBL ·checkedCallEntry(SB), NOPTR|RODATA, $8
DATA ·checkedCallEntry(SB)/8, $·checkedCall(SB)

// The stack of the routine: outgoing words, then marks, then saved registers. The registers are saved before the room
// below them is made, because STP reaches no further than 504 bytes.
#define OUTGOING (8*const_MaxStackWords)
// Marks are words that hold the address of the check: a function that returns with another stack pointer is then still
// found. They are twice what stack arguments can take.
#define MARKS (2*const_MaxStackWords)
#define BELOW (OUTGOING+8*MARKS)
#define SAVED 160

#define BEFORE(i) check_before+8*i
#define AFTER(i) check_after+8*i

#define CUR R10 // see frame_arm64.h

// void checkedCall(struct check*)
TEXT ·checkedCall(SB), NOSPLIT|NOFRAME, $0-0
	SUB   $SAVED, RSP
	STP   (R29, R30), 0(RSP)
	STP   (R19, R20), 16(RSP)
	STP   (R21, R22), 32(RSP)
	STP   (R23, R24), 48(RSP)
	STP   (R25, R26), 64(RSP)
	STP   (R27, g), 80(RSP)
	FSTPD (F8, F9), 96(RSP)
	FSTPD (F10, F11), 112(RSP)
	FSTPD (F12, F13), 128(RSP)
	FSTPD (F14, F15), 144(RSP)
	MOVD  $BELOW, R9
	SUB   R9, RSP // by a register: the linker's limit for stacks of goroutines does not apply here
	MOVD  R0, R9
	MRS   FPCR, R10
	MOVD  R10, check_control(R9)
	MOVD  check_flags(R9), R11
	TST   $const_flagFlushDenormals, R11
	BEQ   gradual
	ORR   $(1<<24), R10 // FZ
	MSR   R10, FPCR
gradual:
	MRS   FPCR, R10
	MOVD  R10, BEFORE(20)(R9)
	MOVD  $MARKS, R10
	ADD   $OUTGOING, RSP, R12
mark:
	MOVD.P R9, 8(R12)
	SUBS  $1, R10
	BNE   mark

	MOVD  check_frame(R9), R10
	TST   $const_flagFull, R11
	BEQ   integers
	MOVD  check_stackWords(R9), R11
	CBZ   R11, noStack
	ADD   $128, R10, R12
	MOVD  RSP, R13
stackWord:
	MOVD.P 8(R12), R14
	MOVD.P R14, 8(R13)
	SUBS  $1, R11
	BNE   stackWord
noStack:
	LOAD_FLOATS
integers:
	LOAD_INTEGERS
	MOVD  check_entry(R9), R12
	MOVD  RSP, R11
	MOVD  R11, BEFORE(19)(R9)
	MOVD  R11, check_stack(R9)
	MOVD  BEFORE(0)(R9), R19
	MOVD  BEFORE(1)(R9), R20
	MOVD  BEFORE(2)(R9), R21
	MOVD  BEFORE(3)(R9), R22
	MOVD  BEFORE(4)(R9), R23
	MOVD  BEFORE(5)(R9), R24
	MOVD  BEFORE(6)(R9), R25
	MOVD  BEFORE(7)(R9), R26
	MOVD  BEFORE(8)(R9), R27
	MOVD  BEFORE(9)(R9), g
	MOVD  BEFORE(10)(R9), R29
	FMOVD BEFORE(11)(R9), F8
	FMOVD BEFORE(12)(R9), F9
	FMOVD BEFORE(13)(R9), F10
	FMOVD BEFORE(14)(R9), F11
	FMOVD BEFORE(15)(R9), F12
	FMOVD BEFORE(16)(R9), F13
	FMOVD BEFORE(17)(R9), F14
	FMOVD BEFORE(18)(R9), F15
	CALL  (R12)

	MOVD  (OUTGOING+8*const_MaxStackWords)(RSP), R9 // a mark in the middle
	MOVD  R19, AFTER(0)(R9)
	MOVD  R20, AFTER(1)(R9)
	MOVD  R21, AFTER(2)(R9)
	MOVD  R22, AFTER(3)(R9)
	MOVD  R23, AFTER(4)(R9)
	MOVD  R24, AFTER(5)(R9)
	MOVD  R25, AFTER(6)(R9)
	MOVD  R26, AFTER(7)(R9)
	MOVD  R27, AFTER(8)(R9)
	MOVD  g, AFTER(9)(R9)
	MOVD  R29, AFTER(10)(R9)
	FMOVD F8, AFTER(11)(R9)
	FMOVD F9, AFTER(12)(R9)
	FMOVD F10, AFTER(13)(R9)
	FMOVD F11, AFTER(14)(R9)
	FMOVD F12, AFTER(15)(R9)
	FMOVD F13, AFTER(16)(R9)
	FMOVD F14, AFTER(17)(R9)
	FMOVD F15, AFTER(18)(R9)
	MOVD  RSP, R10
	MOVD  R10, AFTER(19)(R9)
	MOVD  check_stack(R9), R10
	MOVD  R10, RSP
	MRS   FPCR, R10
	MOVD  R10, AFTER(20)(R9)
	MOVD  R0, check_returnedInt(R9)
	FMOVD F0, check_returnedFloat(R9)
	MOVD  check_control(R9), R10 // restores Go's rounding
	MSR   R10, FPCR
	MOVD  $BELOW, R9
	ADD   R9, RSP
	LDP   0(RSP), (R29, R30)
	LDP   16(RSP), (R19, R20)
	LDP   32(RSP), (R21, R22)
	LDP   48(RSP), (R23, R24)
	LDP   64(RSP), (R25, R26)
	LDP   80(RSP), (R27, g)
	FLDPD 96(RSP), (F8, F9)
	FLDPD 112(RSP), (F10, F11)
	FLDPD 128(RSP), (F12, F13)
	FLDPD 144(RSP), (F14, F15)
	ADD   $SAVED, RSP
	RET
