//go:build !windows

// The kernels for amd64. They follow the C convention of System V, not Go's, and keep what it preserves:
//
//	void compute(uint64_t rounds)
//	void move(uint64_t rounds, const void *from, void *to, uint64_t bytes)
//
// A round of compute makes unrolled multiply-adds on 12 accumulators, which are enough for two units with a latency of
// five cycles. A round of move passes once over the bytes, a multiple of moveStep.
#include "textflag.h"

DATA ·double(SB)/8, $0.75
GLOBL ·double(SB), NOPTR|RODATA, $8
DATA ·single(SB)/4, $0x3f400000 // 0.75
GLOBL ·single(SB), NOPTR|RODATA, $4
DATA ·brain(SB)/4, $0x3f403f40 // 0.75 as bfloat16, twice
GLOBL ·brain(SB), NOPTR|RODATA, $4
DATA ·octets(SB)/4, $0x03020103
GLOBL ·octets(SB), NOPTR|RODATA, $4
DATA ·words(SB)/4, $0x00010001
GLOBL ·words(SB), NOPTR|RODATA, $4

#define ADDRESS(entry, kernel) \
	GLOBL entry(SB), NOPTR|RODATA, $8; \
	DATA entry(SB)/8, $kernel(SB)

// Sets the accumulators 0 to 11 and the factor 13 of vectors X to the factor 12.
#define SET_X \
	VMOVUPS X12, X0; \
	VMOVUPS X12, X1; \
	VMOVUPS X12, X2; \
	VMOVUPS X12, X3; \
	VMOVUPS X12, X4; \
	VMOVUPS X12, X5; \
	VMOVUPS X12, X6; \
	VMOVUPS X12, X7; \
	VMOVUPS X12, X8; \
	VMOVUPS X12, X9; \
	VMOVUPS X12, X10; \
	VMOVUPS X12, X11; \
	VMOVUPS X12, X13

// An operation on each accumulator of vectors X.
#define EACH_X(op) \
	op X12, X13, X0; \
	op X12, X13, X1; \
	op X12, X13, X2; \
	op X12, X13, X3; \
	op X12, X13, X4; \
	op X12, X13, X5; \
	op X12, X13, X6; \
	op X12, X13, X7; \
	op X12, X13, X8; \
	op X12, X13, X9; \
	op X12, X13, X10; \
	op X12, X13, X11

// Sets the accumulators 0 to 11 and the factor 13 of vectors Y to the factor 12.
#define SET_Y \
	VMOVUPS Y12, Y0; \
	VMOVUPS Y12, Y1; \
	VMOVUPS Y12, Y2; \
	VMOVUPS Y12, Y3; \
	VMOVUPS Y12, Y4; \
	VMOVUPS Y12, Y5; \
	VMOVUPS Y12, Y6; \
	VMOVUPS Y12, Y7; \
	VMOVUPS Y12, Y8; \
	VMOVUPS Y12, Y9; \
	VMOVUPS Y12, Y10; \
	VMOVUPS Y12, Y11; \
	VMOVUPS Y12, Y13

// An operation on each accumulator of vectors Y.
#define EACH_Y(op) \
	op Y12, Y13, Y0; \
	op Y12, Y13, Y1; \
	op Y12, Y13, Y2; \
	op Y12, Y13, Y3; \
	op Y12, Y13, Y4; \
	op Y12, Y13, Y5; \
	op Y12, Y13, Y6; \
	op Y12, Y13, Y7; \
	op Y12, Y13, Y8; \
	op Y12, Y13, Y9; \
	op Y12, Y13, Y10; \
	op Y12, Y13, Y11

// Sets the accumulators 0 to 11 and the factor 13 of vectors Z to the factor 12.
#define SET_Z \
	VMOVUPS Z12, Z0; \
	VMOVUPS Z12, Z1; \
	VMOVUPS Z12, Z2; \
	VMOVUPS Z12, Z3; \
	VMOVUPS Z12, Z4; \
	VMOVUPS Z12, Z5; \
	VMOVUPS Z12, Z6; \
	VMOVUPS Z12, Z7; \
	VMOVUPS Z12, Z8; \
	VMOVUPS Z12, Z9; \
	VMOVUPS Z12, Z10; \
	VMOVUPS Z12, Z11; \
	VMOVUPS Z12, Z13

// An operation on each accumulator of vectors Z.
#define EACH_Z(op) \
	op Z12, Z13, Z0; \
	op Z12, Z13, Z1; \
	op Z12, Z13, Z2; \
	op Z12, Z13, Z3; \
	op Z12, Z13, Z4; \
	op Z12, Z13, Z5; \
	op Z12, Z13, Z6; \
	op Z12, Z13, Z7; \
	op Z12, Z13, Z8; \
	op Z12, Z13, Z9; \
	op Z12, Z13, Z10; \
	op Z12, Z13, Z11

// Repeats a round until DI is zero.
#define ROUNDS(round) \
	PCALIGN $64; \
next: \
	round; \
	round; \
	DECQ DI; \
	JNE  next; \
	VZEROUPPER; \
	RET

// VDPBF16PS Z13, Z12, Zn, which the assembler does not know.
#define EACH_BF16 \
	LONG $0x481ed262; WORD $0xc552; \
	LONG $0x481ed262; WORD $0xcd52; \
	LONG $0x481ed262; WORD $0xd552; \
	LONG $0x481ed262; WORD $0xdd52; \
	LONG $0x481ed262; WORD $0xe552; \
	LONG $0x481ed262; WORD $0xed52; \
	LONG $0x481ed262; WORD $0xf552; \
	LONG $0x481ed262; WORD $0xfd52; \
	LONG $0x481e5262; WORD $0xc552; \
	LONG $0x481e5262; WORD $0xcd52; \
	LONG $0x481e5262; WORD $0xd552; \
	LONG $0x481e5262; WORD $0xdd52

// 32 products of bytes for each accumulator, summed to 32 bits without VNNI. Y14 holds ones.
#define PRODUCTS(a, b) \
	VPMADDUBSW Y12, Y13, a; \
	VPMADDUBSW Y12, Y13, b; \
	VPMADDWD   Y14, a, a; \
	VPMADDWD   Y14, b, b

#define EACH_MADD \
	PRODUCTS(Y10, Y11); VPADDD Y10, Y0, Y0; VPADDD Y11, Y1, Y1; \
	PRODUCTS(Y10, Y11); VPADDD Y10, Y2, Y2; VPADDD Y11, Y3, Y3; \
	PRODUCTS(Y10, Y11); VPADDD Y10, Y4, Y4; VPADDD Y11, Y5, Y5; \
	PRODUCTS(Y10, Y11); VPADDD Y10, Y6, Y6; VPADDD Y11, Y7, Y7; \
	PRODUCTS(Y10, Y11); VPADDD Y10, Y8, Y8; VPADDD Y11, Y9, Y9

ADDRESS(·float64ScalarEntry, ·float64Scalar)
TEXT ·float64Scalar(SB), NOSPLIT|NOFRAME, $0-0
	VMOVSD ·double(SB), X12
	SET_X
	ROUNDS(EACH_X(VFMADD231SD))

ADDRESS(·float32ScalarEntry, ·float32Scalar)
TEXT ·float32Scalar(SB), NOSPLIT|NOFRAME, $0-0
	VMOVSS ·single(SB), X12
	SET_X
	ROUNDS(EACH_X(VFMADD231SS))

ADDRESS(·float64AVX2Entry, ·float64AVX2)
TEXT ·float64AVX2(SB), NOSPLIT|NOFRAME, $0-0
	VBROADCASTSD ·double(SB), Y12
	SET_Y
	ROUNDS(EACH_Y(VFMADD231PD))

ADDRESS(·float32AVX2Entry, ·float32AVX2)
TEXT ·float32AVX2(SB), NOSPLIT|NOFRAME, $0-0
	VBROADCASTSS ·single(SB), Y12
	SET_Y
	ROUNDS(EACH_Y(VFMADD231PS))

ADDRESS(·float64AVX512Entry, ·float64AVX512)
TEXT ·float64AVX512(SB), NOSPLIT|NOFRAME, $0-0
	VBROADCASTSD ·double(SB), Z12
	SET_Z
	ROUNDS(EACH_Z(VFMADD231PD))

ADDRESS(·float32AVX512Entry, ·float32AVX512)
TEXT ·float32AVX512(SB), NOSPLIT|NOFRAME, $0-0
	VBROADCASTSS ·single(SB), Z12
	SET_Z
	ROUNDS(EACH_Z(VFMADD231PS))

ADDRESS(·bfloat16AVX512Entry, ·bfloat16AVX512)
TEXT ·bfloat16AVX512(SB), NOSPLIT|NOFRAME, $0-0
	VBROADCASTSS ·brain(SB), Z12
	SET_Z
	ROUNDS(EACH_BF16)

ADDRESS(·int8AVX2Entry, ·int8AVX2)
TEXT ·int8AVX2(SB), NOSPLIT|NOFRAME, $0-0
	VPBROADCASTD ·octets(SB), Y12
	VPBROADCASTD ·words(SB), Y14
	SET_Y
	ROUNDS(EACH_MADD)

ADDRESS(·int8VNNIEntry, ·int8VNNI)
TEXT ·int8VNNI(SB), NOSPLIT|NOFRAME, $0-0
	VPBROADCASTD ·octets(SB), Z12
	SET_Z
	ROUNDS(EACH_Z(VPDPBUSD))

// Passes over the bytes from SI, each time in steps. R8 is the place, R9 the end, R10 the distance to the copy.
#define PASSES(body, step) \
pass: \
	MOVQ SI, R8; \
	LEAQ (SI)(CX*1), R9; \
	MOVQ DX, R10; \
	SUBQ SI, R10; \
	PCALIGN $64; \
block: \
	body; \
	ADDQ $step, R8; \
	CMPQ R8, R9; \
	JCS  block; \
	DECQ DI; \
	JNE  pass

#define READ_X \
	MOVUPS 0(R8), X0; \
	MOVUPS 16(R8), X1; \
	MOVUPS 32(R8), X2; \
	MOVUPS 48(R8), X3; \
	MOVUPS 64(R8), X4; \
	MOVUPS 80(R8), X5; \
	MOVUPS 96(R8), X6; \
	MOVUPS 112(R8), X7

#define COPY_X \
	READ_X; \
	MOVUPS X0, 0(R8)(R10*1); \
	MOVUPS X1, 16(R8)(R10*1); \
	MOVUPS X2, 32(R8)(R10*1); \
	MOVUPS X3, 48(R8)(R10*1); \
	MOVUPS X4, 64(R8)(R10*1); \
	MOVUPS X5, 80(R8)(R10*1); \
	MOVUPS X6, 96(R8)(R10*1); \
	MOVUPS X7, 112(R8)(R10*1)

#define READ_Y \
	VMOVUPS 0(R8), Y0; \
	VMOVUPS 32(R8), Y1; \
	VMOVUPS 64(R8), Y2; \
	VMOVUPS 96(R8), Y3; \
	VMOVUPS 128(R8), Y4; \
	VMOVUPS 160(R8), Y5; \
	VMOVUPS 192(R8), Y6; \
	VMOVUPS 224(R8), Y7

#define COPY_Y \
	READ_Y; \
	VMOVUPS Y0, 0(R8)(R10*1); \
	VMOVUPS Y1, 32(R8)(R10*1); \
	VMOVUPS Y2, 64(R8)(R10*1); \
	VMOVUPS Y3, 96(R8)(R10*1); \
	VMOVUPS Y4, 128(R8)(R10*1); \
	VMOVUPS Y5, 160(R8)(R10*1); \
	VMOVUPS Y6, 192(R8)(R10*1); \
	VMOVUPS Y7, 224(R8)(R10*1)

#define READ_Z \
	VMOVUPS 0(R8), Z0; \
	VMOVUPS 64(R8), Z1; \
	VMOVUPS 128(R8), Z2; \
	VMOVUPS 192(R8), Z3; \
	VMOVUPS 256(R8), Z4; \
	VMOVUPS 320(R8), Z5; \
	VMOVUPS 384(R8), Z6; \
	VMOVUPS 448(R8), Z7

#define COPY_Z \
	READ_Z; \
	VMOVUPS Z0, 0(R8)(R10*1); \
	VMOVUPS Z1, 64(R8)(R10*1); \
	VMOVUPS Z2, 128(R8)(R10*1); \
	VMOVUPS Z3, 192(R8)(R10*1); \
	VMOVUPS Z4, 256(R8)(R10*1); \
	VMOVUPS Z5, 320(R8)(R10*1); \
	VMOVUPS Z6, 384(R8)(R10*1); \
	VMOVUPS Z7, 448(R8)(R10*1)

ADDRESS(·readSSE2Entry, ·readSSE2)
TEXT ·readSSE2(SB), NOSPLIT|NOFRAME, $0-0
	PASSES(READ_X, 128)
	RET

ADDRESS(·copySSE2Entry, ·copySSE2)
TEXT ·copySSE2(SB), NOSPLIT|NOFRAME, $0-0
	PASSES(COPY_X, 128)
	RET

ADDRESS(·readAVX2Entry, ·readAVX2)
TEXT ·readAVX2(SB), NOSPLIT|NOFRAME, $0-0
	PASSES(READ_Y, 256)
	VZEROUPPER
	RET

ADDRESS(·copyAVX2Entry, ·copyAVX2)
TEXT ·copyAVX2(SB), NOSPLIT|NOFRAME, $0-0
	PASSES(COPY_Y, 256)
	VZEROUPPER
	RET

ADDRESS(·readAVX512Entry, ·readAVX512)
TEXT ·readAVX512(SB), NOSPLIT|NOFRAME, $0-0
	PASSES(READ_Z, 512)
	VZEROUPPER
	RET

ADDRESS(·copyAVX512Entry, ·copyAVX512)
TEXT ·copyAVX512(SB), NOSPLIT|NOFRAME, $0-0
	PASSES(COPY_Z, 512)
	VZEROUPPER
	RET
