//go:build !windows

// The timed call loop for amd64, System V ABI. The TEXTs here follow the C convention, not Go's: dl.Call enters them,
// which switches to the system stack of the thread.
#include "go_asm.h"
#include "textflag.h"
#include "frame_amd64.h"
#include "counters_amd64.h"

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
	CMPQ  0(CX), $0
	JNE   skipped
	PUSHQ CX // also aligns the stack for the call
	MOVQ  DI, AX
	MOVQ  SI, DI
	MOVQ  DX, SI
	CALL  AX
	POPQ  CX
	TESTQ AX, AX
	JNE   latched
	RET
latched:
	MOVQ AX, 0(CX)
skipped:
	RET

// uintptr copyWord(const uintptr *from, uintptr *to) returns 0: see CopyEntry.
TEXT ·copyWord(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ (DI), AX
	MOVQ AX, (SI)
	XORL AX, AX
	RET

// void lowered(void *argument, void (*f)(void *argument), uintptr offset) calls f with the stack offset bytes further
// down, at the beginning of a line.
TEXT ·lowered(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BP
	MOVQ  SP, BP
	SUBQ  DX, SP
	ANDQ  $~63, SP
	CALL  SI
	MOVQ  BP, SP
	POPQ  BP
	RET

// The stack of the loop, below the six saved registers: outgoing words, then locals. Calls with outgoing words do not
// need the first two slots. 8 (return) + 48 + FRAME is a multiple of 16. FRAME is 56 modulo 64, so that the return
// address of calls and these slots share a line, since each line that a caller touches may take one from a function
// whose data fill the first cache.
#define FIFTH 0
#define SIXTH 8
#define OUTGOING (8*const_MaxStackWords)
#define START (OUTGOING+0)
#define MXCSR (OUTGOING+8)
#define X87CW (OUTGOING+12)
#define CONTROL (OUTGOING+16)
#define PRELUDE (OUTGOING+24)
#define PAGE (OUTGOING+32)
#define POINTER (OUTGOING+40)
#define COUNTS (OUTGOING+56)
#define AFTER (COUNTS+8*const_maxPages)
#define FRAME (AFTER+8*const_maxPages)

// Registers that calls preserve.
#define CTL BX
#define FN R13
#define CUR R12
#define END R14
#define STRIDE BP
#define LEFT R15

// One instruction that does nothing, with the mark of fillerCode. A copy has another filler there.
#define FILLER \
	LONG $0x841f0f66; \
	BYTE $0x00;       \
	LONG $0x4c4c4946

// Passes the first four integers of a single frame.
#define KEPT_INTEGERS \
	MOVQ BX, CX;  \
	MOVQ R14, DX; \
	MOVQ BP, SI;  \
	MOVQ R12, DI

// Goes to the next frame of the ring.
#define ADVANCE \
	ADDQ    STRIDE, CUR; \
	CMPQ    CUR, END;    \
	CMOVQCC control_base(CTL), CUR

// Reads the counter into AX, after all instructions before it and before all behind it. LFENCE;RDTSC needs no RDTSCP.
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

// Reads the counters of all pages to memory. There is at least one page.
#define READ_PAGES(next, to, again, done) \
	MOVQ $0, PAGE(SP);              \
next: \
	MOVQ PAGE(SP), R10;             \
	MOVQ control_pages(CTL), R11;   \
	MOVQ (R11)(R10*8), R11;         \
	READ_PMC(R11, R8, R9, again, done); \
	MOVQ PAGE(SP), R10;             \
	MOVQ AX, to(R10*8);             \
	INCQ R10;                       \
	MOVQ R10, PAGE(SP);             \
	CMPQ R10, control_pageCount(CTL); \
	JCS  next

// void evict(struct control*), with at least one range
TEXT ·evict(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ CTL
	MOVQ  DI, CTL
	EVICT(range, line, plain, next)
	POPQ  CTL
	RET

// The loop exists twice, so that the call instruction of the function to be measured never calls the empty one. A call
// that went to two places is predicted differently, a cycle or more later, as long as the processor remembers it.
#define LOOP ·timedLoop
#include "timedloop_amd64.h"
#undef LOOP
#define LOOP ·emptyLoop
#include "timedloop_amd64.h"
#undef LOOP

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

// func chain(rounds uint64) (ticks uint64)
TEXT ·chain(SB), NOSPLIT, $0-16
	MOVQ rounds+0(FP), SI
	MOVQ $1, R8
	MOVQ $3, R9
	READ_COUNTER
	MOVQ AX, R10
	PCALIGN $64
link:
	ADDQ R9, R8
	ADDQ R9, R8
	ADDQ R9, R8
	ADDQ R9, R8
	ADDQ R9, R8
	ADDQ R9, R8
	ADDQ R9, R8
	ADDQ R9, R8
	DECQ SI
	JNE  link
	READ_COUNTER
	SUBQ R10, AX
	MOVQ AX, ticks+8(FP)
	RET

// func ports(rounds uint64, line *[8]uint64) (ticks uint64)
TEXT ·ports(SB), NOSPLIT, $0-24
	MOVQ rounds+0(FP), SI
	MOVQ line+8(FP), DI
	MOVQ $3, R9
	READ_COUNTER
	MOVQ AX, R10
	PCALIGN $64
round:
	ADDQ R9, R8
	ADDQ R9, R11
	ADDQ R9, R12
	ADDQ R9, R13
	ADDQ 0(DI), BX
	ADDQ 8(DI), CX
	DECQ SI
	JNE  round
	READ_COUNTER
	SUBQ R10, AX
	MOVQ AX, ticks+16(FP)
	RET
