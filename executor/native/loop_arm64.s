//go:build !windows

// The timed call loop for arm64, AAPCS64. The TEXTs here follow the C convention, not Go's: dl.Call enters them, which
// switches to the system stack of the thread.
#include "go_asm.h"
#include "textflag.h"
#include "frame_arm64.h"

GLOBL ·timedLoopEntry(SB), NOPTR|RODATA, $8
DATA ·timedLoopEntry(SB)/8, $·timedLoop(SB)
GLOBL ·emptyLoopEntry(SB), NOPTR|RODATA, $8
DATA ·emptyLoopEntry(SB)/8, $·emptyLoop(SB)
GLOBL ·loweredEntry(SB), NOPTR|RODATA, $8
DATA ·loweredEntry(SB)/8, $·lowered(SB)
GLOBL ·evictEntry(SB), NOPTR|RODATA, $8
DATA ·evictEntry(SB)/8, $·evict(SB)
GLOBL ·emptyFunctionEntry(SB), NOPTR|RODATA, $8
DATA ·emptyFunctionEntry(SB)/8, $·emptyFunction(SB)
GLOBL ·latchEntry(SB), NOPTR|RODATA, $8
DATA ·latchEntry(SB)/8, $·latch(SB)
GLOBL ·copyEntry(SB), NOPTR|RODATA, $8
DATA ·copyEntry(SB)/8, $·copyWord(SB)

// void emptyFunction(...)
TEXT ·emptyFunction(SB), NOSPLIT|NOFRAME, $0-0
	RET

// void latch(uintptr (*f)(a, b), a, b, uintptr *status): see LatchEntry.
TEXT ·latch(SB), NOSPLIT|NOFRAME, $0-0
	MOVD 0(R3), R9
	CBNZ R9, skipped
	SUB  $32, RSP
	STP  (R29, R30), 0(RSP)
	MOVD R3, 16(RSP)
	MOVD R0, R9
	MOVD R1, R0
	MOVD R2, R1
	CALL (R9)
	MOVD 16(RSP), R3
	LDP  0(RSP), (R29, R30)
	ADD  $32, RSP
	CBNZ R0, latched
	RET
latched:
	MOVD R0, (R3)
skipped:
	RET

// uintptr copyWord(const uintptr *from, uintptr *to) returns 0: see CopyEntry.
TEXT ·copyWord(SB), NOSPLIT|NOFRAME, $0-0
	MOVD (R0), R9
	MOVD R9, (R1)
	MOVD ZR, R0
	RET

// void lowered(void *argument, void (*f)(void *argument), uintptr offset) calls f with the stack offset bytes further
// down. The offset is a multiple of 16.
TEXT ·lowered(SB), NOSPLIT|NOFRAME, $0-0
	SUB  $32, RSP
	STP  (R29, R30), 0(RSP)
	MOVD R19, 16(RSP)
	MOVD R2, R19
	SUB  R19, RSP
	CALL (R1)
	ADD  R19, RSP
	LDP  0(RSP), (R29, R30)
	MOVD 16(RSP), R19
	ADD  $32, RSP
	RET

// The stack of the loop: outgoing words below, saved registers above. The registers are saved before the room for the
// outgoing words is made, because STP reaches no further than 504 bytes; beyond that, the assembler would spoil R27
// first.
#define OUTGOING (8*const_MaxStackWords)
#define SAVED 112
#define PRELUDE (OUTGOING+104)

// Registers that calls preserve. R18 belongs to the system, R27 to the assembler, R28 is g.
#define CTL R19
#define FN R20
#define CUR R21
#define END R22
#define STRIDE R23
#define LEFT R24
#define START R25
#define BASE R26

// Goes to the next frame of the ring.
#define ADVANCE \
	ADD STRIDE, CUR; \
	CMP END, CUR;    \
	CSEL HS, BASE, CUR, CUR

// Waits for all instructions and accesses before it.
#define RETIRE \
	DSB $15; \
	ISB $15

// Evicts control.lineCount ranges. Uses R9 to R14. CTR_EL0.DminLine is the binary logarithm of the number of words in
// the smallest data line.
#define EVICT(range, line) \
	MRS   CTR_EL0, R9;                  \
	UBFX  $16, R9, $4, R9;              \
	MOVD  $4, R10;                      \
	LSL   R9, R10, R10;                 \
	SUB   $1, R10, R11;                 \
	MOVD  control_lines(CTL), R9;       \
	MOVD  control_lineCount(CTL), R12;  \
range: \
	LDP.P 16(R9), (R13, R14);           \
	ADD   R13, R14;                     \
	BIC   R11, R13;                     \
line: \
	DC    CIVAC, R13;                   \
	ADD   R10, R13;                     \
	CMP   R14, R13;                     \
	BLO   line;                         \
	SUBS  $1, R12;                      \
	BNE   range;                        \
	RETIRE

// void evict(struct control*), with at least one range
TEXT ·evict(SB), NOSPLIT|NOFRAME, $0-0
	MOVD CTL, R15
	MOVD R0, CTL
	EVICT(range, line)
	MOVD R15, CTL
	RET

// The loop exists twice, so that the call instruction of the function to be measured never calls the empty one. A call
// that went to two places is predicted differently, a cycle or more later, as long as the processor remembers it.
#define LOOP ·timedLoop
#include "timedloop_arm64.h"
#undef LOOP
#define LOOP ·emptyLoop
#include "timedloop_arm64.h"
#undef LOOP

// func counter() uint64
TEXT ·counter(SB), NOSPLIT, $0-8
	ISB  $15
	MRS  CNTVCT_EL0, R0
	ISB  $15
	MOVD R0, ret+0(FP)
	RET

// func chain(rounds uint64) (ticks uint64)
TEXT ·chain(SB), NOSPLIT, $0-16
	MOVD rounds+0(FP), R1
	MOVD $1, R2
	MOVD $3, R3
	ISB  $15
	MRS  CNTVCT_EL0, R4
	ISB  $15
	PCALIGN $64
link:
	ADD  R3, R2
	ADD  R3, R2
	ADD  R3, R2
	ADD  R3, R2
	ADD  R3, R2
	ADD  R3, R2
	ADD  R3, R2
	ADD  R3, R2
	SUBS $1, R1
	BNE  link
	ISB  $15
	MRS  CNTVCT_EL0, R5
	ISB  $15
	SUB  R4, R5
	MOVD R5, ticks+8(FP)
	RET

// func ports(rounds uint64, line *[8]uint64) (ticks uint64)
TEXT ·ports(SB), NOSPLIT, $0-24
	MOVD rounds+0(FP), R1
	MOVD line+8(FP), R0
	MOVD $3, R3
	ISB  $15
	MRS  CNTVCT_EL0, R4
	ISB  $15
	PCALIGN $64
round:
	ADD  R3, R6
	ADD  R3, R7
	ADD  R3, R8
	ADD  R3, R9
	MOVD 0(R0), R10
	MOVD 8(R0), R11
	SUBS $1, R1
	BNE  round
	ISB  $15
	MRS  CNTVCT_EL0, R5
	ISB  $15
	SUB  R4, R5
	MOVD R5, ticks+16(FP)
	RET
