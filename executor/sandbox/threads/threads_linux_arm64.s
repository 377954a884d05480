#include "go_asm.h"
#include "textflag.h"

#define SYS_futex 98
#define FUTEX_WAKE_PRIVATE 129
#define SIGINFO_CODE 8
#define SIGINFO_VALUE 24
#define LAST_ERROR 4095

GLOBL ·errandEntry(SB), NOPTR|RODATA, $8
DATA ·errandEntry(SB)/8, $·doErrand(SB)

// void doErrand(int signal, siginfo_t *info, void *context) is a signal handler. It uses no stack, and the kernel
// restores the registers.
TEXT ·doErrand(SB), NOSPLIT|NOFRAME, $0-0
	MOVW SIGINFO_CODE(R1), R9
	CMNW $1, R9 // const_queued
	BNE  return // not sent by send
	MOVD SIGINFO_VALUE(R1), R10
	MOVD errand_calls(R10), R11
	MOVD errand_count(R10), R12
next:
	CBZ  R12, done
	MOVD Call_Number(R11), R8
	MOVD (Call_Arguments+0)(R11), R0
	MOVD (Call_Arguments+8)(R11), R1
	MOVD (Call_Arguments+16)(R11), R2
	MOVD (Call_Arguments+24)(R11), R3
	MOVD (Call_Arguments+32)(R11), R4
	MOVD ZR, R5
	SVC
	CMN  $LAST_ERROR, R0
	BHS  failed
made:
	ADD  $Call__size, R11
	SUB  $1, R12
	B    next
failed:
	MOVBU Call_Once(R11), R1
	CBNZ R1, made
	NEG  R0, R0
	MOVD R0, errand_errno(R10)
done:
	MOVD $1, R0
	ADD  $errand_done, R10, R9
	STLRW R0, (R9)
	MOVD R9, R0
	MOVD $FUTEX_WAKE_PRIVATE, R1
	MOVD $1, R2
	MOVD $SYS_futex, R8
	SVC
return:
	RET
