// The handler of SIGSEGV that allows the instructions RDTSC and RDTSCP; see CatchClockReads.
#include "textflag.h"

GLOBL ·clockHandlerEntry(SB), NOPTR|RODATA, $8
DATA ·clockHandlerEntry(SB)/8, $·clockHandler(SB)
GLOBL ·clockReturnEntry(SB), NOPTR|RODATA, $8
DATA ·clockReturnEntry(SB)/8, $·clockReturn(SB)

// Registers of the interrupted code in struct ucontext (uapi asm/ucontext.h, asm/sigcontext.h).
#define RIP 168
#define TRAP 200
#define GENERAL_PROTECTION 13

// void clockHandler(int signal, siginfo_t *, struct ucontext *) follows the C convention.
TEXT ·clockHandler(SB), NOSPLIT|NOFRAME, $0-0
	CMPQ TRAP(DX), $GENERAL_PROTECTION
	JNE  fault
	MOVQ RIP(DX), AX
	CMPW (AX), $0x310F // RDTSC
	JEQ  allow
	CMPW (AX), $0x010F
	JNE  fault
	CMPB 2(AX), $0xF9  // RDTSCP
	JEQ  allow
fault: // It happens again when this returns, and the default action ends the process.
	SUBQ $32, SP
	MOVQ $0, 0(SP)
	MOVQ $0, 8(SP)
	MOVQ $0, 16(SP)
	MOVQ $0, 24(SP)
	MOVL $13, AX // rt_sigaction
	MOVL $11, DI // SIGSEGV
	MOVQ SP, SI
	XORL DX, DX
	MOVL $8, R10
	SYSCALL
	ADDQ $32, SP
allow:
	MOVL $157, AX // prctl
	MOVL $26, DI  // PR_SET_TSC
	MOVL $1, SI   // PR_TSC_ENABLE
	SYSCALL
	RET

TEXT ·clockReturn(SB), NOSPLIT|NOFRAME, $0-0
	MOVL $15, AX // rt_sigreturn
	SYSCALL
	INT  $3
