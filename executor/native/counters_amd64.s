//go:build linux

#include "textflag.h"
#include "counters_amd64.h"

// func readPages(pages *uintptr, n uintptr, out *uint64)
TEXT ·readPages(SB), NOSPLIT, $0-24
	MOVQ  pages+0(FP), SI
	MOVQ  n+8(FP), R10
	MOVQ  out+16(FP), R11
	LFENCE
	TESTQ R10, R10
	JEQ   done
page:
	MOVQ  (SI), DI
	READ_PMC(DI, R8, R9, retry, offsetOnly)
	MOVQ  AX, (R11)
	ADDQ  $8, SI
	ADDQ  $8, R11
	DECQ  R10
	JNE   page
done:
	LFENCE
	RET

// func knownLoop(turns uintptr)
TEXT ·knownLoop(SB), NOSPLIT, $0-8
	MOVQ turns+0(FP), AX
	PCALIGN $64
turn:
	DECQ AX
	JNE  turn
	RET
