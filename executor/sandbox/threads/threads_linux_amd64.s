#include "go_asm.h"
#include "textflag.h"

#define SYS_rt_sigreturn 15
#define SYS_futex 202
#define FUTEX_WAKE_PRIVATE 129
#define SIGINFO_CODE 8
#define SIGINFO_VALUE 24
#define FIRST_ERROR $-4095

GLOBL ·errandEntry(SB), NOPTR|RODATA, $8
DATA ·errandEntry(SB)/8, $·doErrand(SB)
GLOBL ·restorerEntry(SB), NOPTR|RODATA, $8
DATA ·restorerEntry(SB)/8, $·restorer(SB)

// void doErrand(int signal, siginfo_t *info, void *context) is a signal handler. It uses no stack, and the kernel
// restores the registers.
TEXT ·doErrand(SB), NOSPLIT|NOFRAME, $0-0
	CMPL  SIGINFO_CODE(SI), $const_queued
	JNE   return // not sent by send
	MOVQ  SIGINFO_VALUE(SI), BX
	MOVQ  errand_calls(BX), R12
	MOVQ  errand_count(BX), R13
next:
	TESTQ R13, R13
	JEQ   done
	MOVQ  Call_Number(R12), AX
	MOVQ  (Call_Arguments+0)(R12), DI
	MOVQ  (Call_Arguments+8)(R12), SI
	MOVQ  (Call_Arguments+16)(R12), DX
	MOVQ  (Call_Arguments+24)(R12), R10
	MOVQ  (Call_Arguments+32)(R12), R8
	XORL  R9, R9
	SYSCALL
	CMPQ  AX, FIRST_ERROR
	JCC   failed
made:
	ADDQ  $Call__size, R12
	DECQ  R13
	JMP   next
failed:
	CMPB  Call_Once(R12), $0
	JNE   made
	NEGQ  AX
	MOVQ  AX, errand_errno(BX)
done:
	MOVL  $1, AX
	XCHGL AX, errand_done(BX)
	LEAQ  errand_done(BX), DI
	MOVL  $FUTEX_WAKE_PRIVATE, SI
	MOVL  $1, DX
	MOVL  $SYS_futex, AX
	SYSCALL
return:
	RET

// void restorer(void)
TEXT ·restorer(SB), NOSPLIT|NOFRAME, $0-0
	MOVL $SYS_rt_sigreturn, AX
	SYSCALL
	INT  $3 // not reached
