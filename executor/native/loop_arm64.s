//go:build !windows

// The timed call loop for arm64, AAPCS64. The TEXTs here follow the C convention, not Go's: they are entered through dl.Call, which switches
// to the system stack of the thread.
#include "go_asm.h"
#include "textflag.h"

GLOBL ·timedLoopEntry(SB), NOPTR|RODATA, $8
DATA ·timedLoopEntry(SB)/8, $·timedLoop(SB)
GLOBL ·evictEntry(SB), NOPTR|RODATA, $8
DATA ·evictEntry(SB)/8, $·evict(SB)
GLOBL ·emptyFunctionEntry(SB), NOPTR|RODATA, $8
DATA ·emptyFunctionEntry(SB)/8, $·emptyFunction(SB)

// void emptyFunction(...)
TEXT ·emptyFunction(SB), NOSPLIT|NOFRAME, $0-0
	RET

// Stack of timedLoop: outgoing words below, saved registers above. They are saved before the outgoing words are made room for, because
// STP reaches no further than 504 bytes, and beyond it the assembler would spoil R27 first.
#define OUTGOING (8*const_MaxStackWords)
#define SAVED 112

// Registers that survive the calls. R18 belongs to the system, R27 to the assembler, R28 is g.
#define CTL R19
#define FN R20
#define CUR R21
#define END R22
#define STRIDE R23
#define LEFT R24
#define START R25
#define BASE R26

// To the next frame of the ring.
#define ADVANCE \
	ADD STRIDE, CUR; \
	CMP END, CUR;    \
	CSEL HS, BASE, CUR, CUR

#define LOAD_INTEGERS \
	LDP 0(CUR), (R0, R1);  \
	LDP 16(CUR), (R2, R3); \
	LDP 32(CUR), (R4, R5); \
	LDP 48(CUR), (R6, R7)

#define LOAD_FLOATS \
	FLDPD 64(CUR), (F0, F1); \
	FLDPD 80(CUR), (F2, F3); \
	FLDPD 96(CUR), (F4, F5); \
	FLDPD 112(CUR), (F6, F7)

// Waits for every instruction and every access before.
#define RETIRE \
	DSB $15; \
	ISB $15

// Evicts control.lineCount ranges. Uses R9 to R14. CTR_EL0.DminLine is the logarithm of the words in the smallest data line.
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

// void timedLoop(struct control*), with at least one batch and one call
TEXT ·timedLoop(SB), NOSPLIT|NOFRAME, $0-0
	SUB  $SAVED, RSP
	STP  (R29, R30), 0(RSP)
	STP  (R19, R20), 16(RSP)
	STP  (R21, R22), 32(RSP)
	STP  (R23, R24), 48(RSP)
	STP  (R25, R26), 64(RSP)
	STP  (R27, g), 80(RSP)
	MRS  FPCR, R9
	MOVD R9, 96(RSP)
	SUB  $OUTGOING, RSP
	MOVD R0, CTL
	MOVD control_entry(CTL), FN
	MOVD control_current(CTL), CUR
	MOVD control_base(CTL), BASE
	MOVD control_end(CTL), END
	MOVD control_stride(CTL), STRIDE

batch:
	MOVD control_lineCount(CTL), R9
	CBZ  R9, begin
	EVICT(range, line)

begin:
	MOVD control_calls(CTL), LEFT
	MOVD control_flags(CTL), R9
	TST  $const_flagCounter, R9
	BEQ  choose
	ISB  $15
	MRS  CNTVCT_EL0, START
	ISB  $15

choose:
	TST  $const_flagFull, R9
	BNE  full
	TST  $const_flagSerialized, R9
	BNE  serialized

	PCALIGN $64
short:
	LOAD_INTEGERS
	CALL (FN)
	ADVANCE
	SUBS $1, LEFT
	BNE  short
	B    finish

serialized:
	LOAD_INTEGERS
	CALL (FN)
	RETIRE
	ADVANCE
	SUBS $1, LEFT
	BNE  serialized
	B    finish

full:
	MOVD control_stackWords(CTL), R9
	CBZ  R9, noStack
	ADD  $128, CUR, R10
	MOVD RSP, R11
stackWord:
	MOVD.P 8(R10), R12
	MOVD.P R12, 8(R11)
	SUBS   $1, R9
	BNE    stackWord
noStack:
	LOAD_INTEGERS
	LOAD_FLOATS
	CALL (FN)
	MOVD control_flags(CTL), R9
	TST  $const_flagSerialized, R9
	BEQ  retired
	RETIRE
retired:
	ADVANCE
	SUBS $1, LEFT
	BNE  full

finish:
	MOVD control_flags(CTL), R9
	TST  $const_flagCounter, R9
	BEQ  counted
	ISB  $15
	MRS  CNTVCT_EL0, R9
	ISB  $15
	SUB  START, R9
	MOVD control_results(CTL), R10
	MOVD.P R9, 8(R10)
	MOVD R10, control_results(CTL)
counted:
	MOVD control_batches(CTL), R9
	SUBS $1, R9
	MOVD R9, control_batches(CTL)
	BNE  batch

	MOVD  R0, control_returnedInt(CTL)
	FMOVD F0, control_returnedFloat(CTL)
	MOVD  CUR, control_current(CTL)
	ADD   $OUTGOING, RSP
	MOVD  96(RSP), R9 // whatever rounding native code left behind, Go finds its own
	MSR   R9, FPCR
	LDP   0(RSP), (R29, R30)
	LDP   16(RSP), (R19, R20)
	LDP   32(RSP), (R21, R22)
	LDP   48(RSP), (R23, R24)
	LDP   64(RSP), (R25, R26)
	LDP   80(RSP), (R27, g)
	ADD   $SAVED, RSP
	RET

// func counter() uint64
TEXT ·counter(SB), NOSPLIT, $0-8
	ISB  $15
	MRS  CNTVCT_EL0, R0
	ISB  $15
	MOVD R0, ret+0(FP)
	RET
