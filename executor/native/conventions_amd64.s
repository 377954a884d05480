//go:build !windows

// A call of a C function, with a look at what it keeps. See checked.
#include "go_asm.h"
#include "textflag.h"
#include "frame_amd64.h"

GLOBL ·checkedCallEntry(SB), NOPTR|RODATA, $8
DATA ·checkedCallEntry(SB)/8, $·checkedCall(SB)

// The stack of the routine, below the six saved registers: outgoing words, then marks. 8 (return) + 48 + FRAME is a
// multiple of 16.
#define OUTGOING (8*const_MaxStackWords)
// Marks are words that hold the address of the check: a function that returns with another stack pointer is then still
// found. They are twice what stack arguments can take.
#define MARKS (2*const_MaxStackWords)
#define FRAME (OUTGOING+8*MARKS+8)

#define BEFORE(i) check_before+8*i
#define AFTER(i) check_after+8*i

#define CUR R12 // see frame_amd64.h

// void checkedCall(struct check*)
TEXT ·checkedCall(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	PUSHQ R14
	PUSHQ R15
	SUBQ  $FRAME, SP
	CLD
	MOVQ  DI, R10
	STMXCSR check_control(R10)
	FSTCW check_controlX87(R10)
	TESTQ $const_flagFlushDenormals, check_flags(R10)
	JEQ   gradual
	MOVL  check_control(R10), AX
	ORL   $0x8040, AX // flush to zero, denormals are zero
	MOVL  AX, BEFORE(7)(R10)
	LDMXCSR BEFORE(7)(R10)
gradual:
	STMXCSR BEFORE(7)(R10)
	FSTCW BEFORE(8)(R10)
	MOVQ  $0xffff, AX // all registers of the x87 unit are empty
	MOVQ  AX, BEFORE(10)(R10)
	MOVQ  $MARKS, CX
mark:
	MOVQ  R10, (OUTGOING-8)(SP)(CX*8)
	DECQ  CX
	JNE   mark

	TESTQ $const_flagForbidClock, check_flags(R10)
	JEQ   readable
	MOVL  $2, SI // PR_TSC_SIGSEGV
	MOVL  $26, DI // PR_SET_TSC
	MOVL  $157, AX // prctl
	SYSCALL
readable:
	MOVQ  check_frame(R10), CUR
	XORL  AX, AX
	TESTQ $const_flagFull, check_flags(R10)
	JEQ   integers
	MOVQ  check_stackWords(R10), CX
	TESTQ CX, CX
	JEQ   noStack
stackWord:
	MOVQ  104(CUR)(CX*8), AX // word CX-1 of those at byte 112
	MOVQ  AX, -8(SP)(CX*8)
	DECQ  CX
	JNE   stackWord
noStack:
	LOAD_FLOATS
	MOVL  check_vectors(R10), AX
integers:
	LOAD_INTEGERS
	MOVQ  check_entry(R10), R11
	MOVQ  BEFORE(0)(R10), BX
	MOVQ  BEFORE(1)(R10), BP
	MOVQ  BEFORE(2)(R10), R12
	MOVQ  BEFORE(3)(R10), R13
	MOVQ  BEFORE(4)(R10), R14
	MOVQ  BEFORE(5)(R10), R15
	MOVQ  SP, BEFORE(6)(R10)
	MOVQ  SP, check_stack(R10)
	CALL  R11

	MOVQ  (OUTGOING+8*const_MaxStackWords)(SP), R10 // a mark in the middle
	MOVQ  BX, AFTER(0)(R10)
	MOVQ  BP, AFTER(1)(R10)
	MOVQ  R12, AFTER(2)(R10)
	MOVQ  R13, AFTER(3)(R10)
	MOVQ  R14, AFTER(4)(R10)
	MOVQ  R15, AFTER(5)(R10)
	MOVQ  SP, AFTER(6)(R10)
	MOVQ  check_stack(R10), SP
	STMXCSR AFTER(7)(R10)
	FSTCW AFTER(8)(R10)
	MOVQ  AX, check_returnedInt(R10)
	MOVQ  X0, check_returnedFloat(R10)
	PUSHFQ
	POPQ  AX
	MOVQ  AX, AFTER(9)(R10)
	FSTENV (SP)
	MOVWQZX 8(SP), AX // the tag word
	MOVQ  AX, AFTER(10)(R10)
	TESTQ $const_flagForbidClock, check_flags(R10)
	JEQ   restore
	LEAQ  check_clock(R10), SI
	MOVL  $25, DI // PR_GET_TSC
	MOVL  $157, AX
	SYSCALL
	MOVL  $1, SI // PR_TSC_ENABLE
	MOVL  $26, DI
	MOVL  $157, AX
	SYSCALL
restore:
	// Restores the state that Go had.
	CLD
	EMMS
	FLDCW check_controlX87(R10)
	LDMXCSR check_control(R10)
	ADDQ  $FRAME, SP
	POPQ  R15
	POPQ  R14
	POPQ  R13
	POPQ  R12
	POPQ  BX
	POPQ  BP
	RET
