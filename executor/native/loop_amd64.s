//go:build !windows

// The timed call loop for amd64, System V ABI. The TEXTs here follow the C convention, not Go's: they are entered through dl.Call, which
// switches to the system stack of the thread.
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

// Stack of timedLoop below the six saved registers: outgoing words, then locals. 8 (return) + 48 + FRAME is a multiple of 16.
#define OUTGOING (8*const_MaxStackWords)
#define START (OUTGOING+0)
#define MXCSR (OUTGOING+8)
#define X87CW (OUTGOING+12)
#define FRAME (OUTGOING+24)

// Registers that survive the calls.
#define CTL BX
#define FN R13
#define CUR R12
#define END R14
#define STRIDE BP
#define LEFT R15

#define LOAD_INTEGERS \
	MOVQ 0(CUR), DI;  \
	MOVQ 8(CUR), SI;  \
	MOVQ 16(CUR), DX; \
	MOVQ 24(CUR), CX; \
	MOVQ 32(CUR), R8; \
	MOVQ 40(CUR), R9

#define LOAD_FLOATS \
	MOVQ 48(CUR), X0; \
	MOVQ 56(CUR), X1; \
	MOVQ 64(CUR), X2; \
	MOVQ 72(CUR), X3; \
	MOVQ 80(CUR), X4; \
	MOVQ 88(CUR), X5; \
	MOVQ 96(CUR), X6; \
	MOVQ 104(CUR), X7

// To the next frame of the ring.
#define ADVANCE \
	ADDQ    STRIDE, CUR; \
	CMPQ    CUR, END;    \
	CMOVQCC control_base(CTL), CUR

// The counter after everything before it and before everything behind it, in AX. LFENCE;RDTSC needs no RDTSCP.
#define READ_COUNTER \
	LFENCE;         \
	RDTSC;          \
	LFENCE;         \
	SHLQ   $32, DX; \
	ORQ    DX, AX

// Evicts control.lineCount ranges. Uses AX, CX, DX, SI, DI.
#define EVICT(range, line, plain, next) \
	MOVQ  control_lines(CTL), SI;                  \
	MOVQ  control_lineCount(CTL), CX;              \
range: \
	MOVQ  0(SI), DX;                               \
	MOVQ  8(SI), DI;                               \
	ADDQ  DX, DI;                                  \
	ANDQ  $~63, DX;                                \
	TESTQ $const_flagFlushOptimized, control_flags(CTL); \
	JEQ   plain;                                   \
line: \
	CLFLUSHOPT (DX);                               \
	ADDQ  $64, DX;                                 \
	CMPQ  DX, DI;                                  \
	JCS   line;                                    \
	JMP   next;                                    \
plain: \
	CLFLUSH (DX);                                  \
	ADDQ  $64, DX;                                 \
	CMPQ  DX, DI;                                  \
	JCS   plain;                                   \
next: \
	ADDQ  $16, SI;                                 \
	DECQ  CX;                                      \
	JNE   range;                                   \
	MFENCE

// void evict(struct control*), with at least one range
TEXT ·evict(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ CTL
	MOVQ  DI, CTL
	EVICT(range, line, plain, next)
	POPQ  CTL
	RET

// void timedLoop(struct control*), with at least one batch and one call
TEXT ·timedLoop(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	PUSHQ R14
	PUSHQ R15
	SUBQ  $FRAME, SP
	STMXCSR MXCSR(SP)
	FSTCW X87CW(SP)
	CLD
	MOVQ  DI, CTL
	MOVQ  control_entry(CTL), FN
	MOVQ  control_current(CTL), CUR
	MOVQ  control_end(CTL), END
	MOVQ  control_stride(CTL), STRIDE

batch:
	CMPQ control_lineCount(CTL), $0
	JEQ  begin
	EVICT(range, line, plain, next)

begin:
	MOVQ  control_calls(CTL), LEFT
	TESTQ $const_flagCounter, control_flags(CTL)
	JEQ   choose
	READ_COUNTER
	MOVQ  AX, START(SP)

choose:
	MOVQ  control_flags(CTL), AX
	TESTQ $const_flagFull, AX
	JNE   chooseFull
	TESTQ $const_flagSerialized, AX
	JNE   serialized

	// Up to six integer arguments: as short as what a compiler makes of the same loop in C.
	PCALIGN $64
short:
	LOAD_INTEGERS
	XORL AX, AX
	CALL FN
	ADVANCE
	DECQ LEFT
	JNE  short
	JMP  finish

serialized:
	LOAD_INTEGERS
	XORL AX, AX
	CALL FN
	LFENCE
	ADVANCE
	DECQ LEFT
	JNE  serialized
	JMP  finish

chooseFull:
	MOVQ  control_stackWords(CTL), CX
	TESTQ CX, CX
	JEQ   noStack
stackWord:
	MOVQ 104(CUR)(CX*8), AX // word CX-1 of those at byte 112
	MOVQ AX, -8(SP)(CX*8)
	DECQ CX
	JNE  stackWord
noStack:
	LOAD_INTEGERS
	LOAD_FLOATS
	MOVL control_vectors(CTL), AX // a variadic function saves as many vector registers as AL says
	CALL FN
	TESTQ $const_flagSerialized, control_flags(CTL)
	JEQ  retired
	LFENCE
retired:
	ADVANCE
	DECQ LEFT
	JNE  chooseFull

finish:
	MOVQ  AX, LEFT // RDTSC takes AX
	TESTQ $const_flagCounter, control_flags(CTL)
	JEQ   counted
	READ_COUNTER
	SUBQ  START(SP), AX
	MOVQ  control_results(CTL), CX
	MOVQ  AX, 0(CX)
	ADDQ  $8, CX
	MOVQ  CX, control_results(CTL)
counted:
	DECQ  control_batches(CTL)
	JNE   batch

	MOVQ  LEFT, control_returnedInt(CTL)
	MOVQ  X0, control_returnedFloat(CTL)
	MOVQ  CUR, control_current(CTL)
	// Whatever state native code left behind, Go finds the one that it had.
	CLD
	EMMS
	FLDCW X87CW(SP)
	LDMXCSR MXCSR(SP)
	ADDQ  $FRAME, SP
	POPQ  R15
	POPQ  R14
	POPQ  R13
	POPQ  R12
	POPQ  BX
	POPQ  BP
	RET

// func counter() uint64
TEXT ·counter(SB), NOSPLIT, $0-8
	READ_COUNTER
	MOVQ AX, ret+0(FP)
	RET

// func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL subleaf+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET
