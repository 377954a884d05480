//go:build !windows

// The kernels for arm64, by AAPCS64; see kernels_amd64.s. A round of compute makes unrolled multiply-adds on 24
// accumulators, which are enough for six units with a latency of four cycles. The accumulators are the vectors 0 to 7
// and 16 to 31; the vectors 8 to 15, whose lower halves belong to the caller, are left alone but for 14 and 15, which
// are kept in other registers.
#include "textflag.h"

#define ADDRESS(entry, kernel) \
	GLOBL entry(SB), NOPTR|RODATA, $8; \
	DATA entry(SB)/8, $kernel(SB)

// Keeps the lower halves of vectors 14 and 15 in R10 and R11, and sets both to the bits in R9.
#define BEGIN \
	FMOVD F14, R10; \
	FMOVD F15, R11; \
	VDUP  R9, V14.D2; \
	VDUP  R9, V15.D2

#define FINISH \
	FMOVD R10, F14; \
	FMOVD R11, F15; \
	RET

// Sets the accumulators to the factor.
#define SET \
	VMOV V14.B16, V0.B16; \
	VMOV V14.B16, V1.B16; \
	VMOV V14.B16, V2.B16; \
	VMOV V14.B16, V3.B16; \
	VMOV V14.B16, V4.B16; \
	VMOV V14.B16, V5.B16; \
	VMOV V14.B16, V6.B16; \
	VMOV V14.B16, V7.B16; \
	VMOV V14.B16, V16.B16; \
	VMOV V14.B16, V17.B16; \
	VMOV V14.B16, V18.B16; \
	VMOV V14.B16, V19.B16; \
	VMOV V14.B16, V20.B16; \
	VMOV V14.B16, V21.B16; \
	VMOV V14.B16, V22.B16; \
	VMOV V14.B16, V23.B16; \
	VMOV V14.B16, V24.B16; \
	VMOV V14.B16, V25.B16; \
	VMOV V14.B16, V26.B16; \
	VMOV V14.B16, V27.B16; \
	VMOV V14.B16, V28.B16; \
	VMOV V14.B16, V29.B16; \
	VMOV V14.B16, V30.B16; \
	VMOV V14.B16, V31.B16

// Repeats a round until R0 is zero.
#define ROUNDS(round) \
	PCALIGN $64; \
next: \
	round; \
	SUBS $1, R0, R0; \
	BNE  next; \
	FINISH

#define SCALAR_D \
	FMADDD F14, F0, F15, F0; \
	FMADDD F14, F1, F15, F1; \
	FMADDD F14, F2, F15, F2; \
	FMADDD F14, F3, F15, F3; \
	FMADDD F14, F4, F15, F4; \
	FMADDD F14, F5, F15, F5; \
	FMADDD F14, F6, F15, F6; \
	FMADDD F14, F7, F15, F7; \
	FMADDD F14, F16, F15, F16; \
	FMADDD F14, F17, F15, F17; \
	FMADDD F14, F18, F15, F18; \
	FMADDD F14, F19, F15, F19; \
	FMADDD F14, F20, F15, F20; \
	FMADDD F14, F21, F15, F21; \
	FMADDD F14, F22, F15, F22; \
	FMADDD F14, F23, F15, F23; \
	FMADDD F14, F24, F15, F24; \
	FMADDD F14, F25, F15, F25; \
	FMADDD F14, F26, F15, F26; \
	FMADDD F14, F27, F15, F27; \
	FMADDD F14, F28, F15, F28; \
	FMADDD F14, F29, F15, F29; \
	FMADDD F14, F30, F15, F30; \
	FMADDD F14, F31, F15, F31

#define SCALAR_S \
	FMADDS F14, F0, F15, F0; \
	FMADDS F14, F1, F15, F1; \
	FMADDS F14, F2, F15, F2; \
	FMADDS F14, F3, F15, F3; \
	FMADDS F14, F4, F15, F4; \
	FMADDS F14, F5, F15, F5; \
	FMADDS F14, F6, F15, F6; \
	FMADDS F14, F7, F15, F7; \
	FMADDS F14, F16, F15, F16; \
	FMADDS F14, F17, F15, F17; \
	FMADDS F14, F18, F15, F18; \
	FMADDS F14, F19, F15, F19; \
	FMADDS F14, F20, F15, F20; \
	FMADDS F14, F21, F15, F21; \
	FMADDS F14, F22, F15, F22; \
	FMADDS F14, F23, F15, F23; \
	FMADDS F14, F24, F15, F24; \
	FMADDS F14, F25, F15, F25; \
	FMADDS F14, F26, F15, F26; \
	FMADDS F14, F27, F15, F27; \
	FMADDS F14, F28, F15, F28; \
	FMADDS F14, F29, F15, F29; \
	FMADDS F14, F30, F15, F30; \
	FMADDS F14, F31, F15, F31

#define NEON_D \
	VFMLA V14.D2, V15.D2, V0.D2; \
	VFMLA V14.D2, V15.D2, V1.D2; \
	VFMLA V14.D2, V15.D2, V2.D2; \
	VFMLA V14.D2, V15.D2, V3.D2; \
	VFMLA V14.D2, V15.D2, V4.D2; \
	VFMLA V14.D2, V15.D2, V5.D2; \
	VFMLA V14.D2, V15.D2, V6.D2; \
	VFMLA V14.D2, V15.D2, V7.D2; \
	VFMLA V14.D2, V15.D2, V16.D2; \
	VFMLA V14.D2, V15.D2, V17.D2; \
	VFMLA V14.D2, V15.D2, V18.D2; \
	VFMLA V14.D2, V15.D2, V19.D2; \
	VFMLA V14.D2, V15.D2, V20.D2; \
	VFMLA V14.D2, V15.D2, V21.D2; \
	VFMLA V14.D2, V15.D2, V22.D2; \
	VFMLA V14.D2, V15.D2, V23.D2; \
	VFMLA V14.D2, V15.D2, V24.D2; \
	VFMLA V14.D2, V15.D2, V25.D2; \
	VFMLA V14.D2, V15.D2, V26.D2; \
	VFMLA V14.D2, V15.D2, V27.D2; \
	VFMLA V14.D2, V15.D2, V28.D2; \
	VFMLA V14.D2, V15.D2, V29.D2; \
	VFMLA V14.D2, V15.D2, V30.D2; \
	VFMLA V14.D2, V15.D2, V31.D2

#define NEON_S \
	VFMLA V14.S4, V15.S4, V0.S4; \
	VFMLA V14.S4, V15.S4, V1.S4; \
	VFMLA V14.S4, V15.S4, V2.S4; \
	VFMLA V14.S4, V15.S4, V3.S4; \
	VFMLA V14.S4, V15.S4, V4.S4; \
	VFMLA V14.S4, V15.S4, V5.S4; \
	VFMLA V14.S4, V15.S4, V6.S4; \
	VFMLA V14.S4, V15.S4, V7.S4; \
	VFMLA V14.S4, V15.S4, V16.S4; \
	VFMLA V14.S4, V15.S4, V17.S4; \
	VFMLA V14.S4, V15.S4, V18.S4; \
	VFMLA V14.S4, V15.S4, V19.S4; \
	VFMLA V14.S4, V15.S4, V20.S4; \
	VFMLA V14.S4, V15.S4, V21.S4; \
	VFMLA V14.S4, V15.S4, V22.S4; \
	VFMLA V14.S4, V15.S4, V23.S4; \
	VFMLA V14.S4, V15.S4, V24.S4; \
	VFMLA V14.S4, V15.S4, V25.S4; \
	VFMLA V14.S4, V15.S4, V26.S4; \
	VFMLA V14.S4, V15.S4, V27.S4; \
	VFMLA V14.S4, V15.S4, V28.S4; \
	VFMLA V14.S4, V15.S4, V29.S4; \
	VFMLA V14.S4, V15.S4, V30.S4; \
	VFMLA V14.S4, V15.S4, V31.S4

// FMLA Vn.8H, V14.8H, V15.8H, which the assembler does not know.
#define NEON_H \
	WORD $0x4e4f0dc0; \
	WORD $0x4e4f0dc1; \
	WORD $0x4e4f0dc2; \
	WORD $0x4e4f0dc3; \
	WORD $0x4e4f0dc4; \
	WORD $0x4e4f0dc5; \
	WORD $0x4e4f0dc6; \
	WORD $0x4e4f0dc7; \
	WORD $0x4e4f0dd0; \
	WORD $0x4e4f0dd1; \
	WORD $0x4e4f0dd2; \
	WORD $0x4e4f0dd3; \
	WORD $0x4e4f0dd4; \
	WORD $0x4e4f0dd5; \
	WORD $0x4e4f0dd6; \
	WORD $0x4e4f0dd7; \
	WORD $0x4e4f0dd8; \
	WORD $0x4e4f0dd9; \
	WORD $0x4e4f0dda; \
	WORD $0x4e4f0ddb; \
	WORD $0x4e4f0ddc; \
	WORD $0x4e4f0ddd; \
	WORD $0x4e4f0dde; \
	WORD $0x4e4f0ddf

// SDOT Vn.4S, V14.16B, V15.16B, which the assembler does not know.
#define NEON_DOT \
	WORD $0x4e8f95c0; \
	WORD $0x4e8f95c1; \
	WORD $0x4e8f95c2; \
	WORD $0x4e8f95c3; \
	WORD $0x4e8f95c4; \
	WORD $0x4e8f95c5; \
	WORD $0x4e8f95c6; \
	WORD $0x4e8f95c7; \
	WORD $0x4e8f95d0; \
	WORD $0x4e8f95d1; \
	WORD $0x4e8f95d2; \
	WORD $0x4e8f95d3; \
	WORD $0x4e8f95d4; \
	WORD $0x4e8f95d5; \
	WORD $0x4e8f95d6; \
	WORD $0x4e8f95d7; \
	WORD $0x4e8f95d8; \
	WORD $0x4e8f95d9; \
	WORD $0x4e8f95da; \
	WORD $0x4e8f95db; \
	WORD $0x4e8f95dc; \
	WORD $0x4e8f95dd; \
	WORD $0x4e8f95de; \
	WORD $0x4e8f95df

ADDRESS(·float64ScalarEntry, ·float64Scalar)
TEXT ·float64Scalar(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $0x3fe8000000000000, R9
	BEGIN
	SET
	ROUNDS(SCALAR_D)

ADDRESS(·float32ScalarEntry, ·float32Scalar)
TEXT ·float32Scalar(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $0x3f4000003f400000, R9
	BEGIN
	SET
	ROUNDS(SCALAR_S)

ADDRESS(·float64NEONEntry, ·float64NEON)
TEXT ·float64NEON(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $0x3fe8000000000000, R9
	BEGIN
	SET
	ROUNDS(NEON_D)

ADDRESS(·float32NEONEntry, ·float32NEON)
TEXT ·float32NEON(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $0x3f4000003f400000, R9
	BEGIN
	SET
	ROUNDS(NEON_S)

ADDRESS(·float16NEONEntry, ·float16NEON)
TEXT ·float16NEON(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $0x3a003a003a003a00, R9
	BEGIN
	SET
	ROUNDS(NEON_H)

ADDRESS(·int8NEONEntry, ·int8NEON)
TEXT ·int8NEON(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $0x0302010303020103, R9
	BEGIN
	SET
	ROUNDS(NEON_DOT)

#define READ \
	VLD1.P 64(R4), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1.P 64(R4), [V4.B16, V5.B16, V6.B16, V7.B16]

#define COPY \
	READ; \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R6); \
	VST1.P [V4.B16, V5.B16, V6.B16, V7.B16], 64(R6)

// Passes over R3 bytes from R1, each time to the end at R5. R4 and R6 are the places.
#define PASSES(body) \
pass: \
	MOVD R1, R4; \
	ADD  R3, R1, R5; \
	MOVD R2, R6; \
	PCALIGN $64; \
block: \
	body; \
	CMP  R5, R4; \
	BLO  block; \
	SUBS $1, R0, R0; \
	BNE  pass; \
	RET

ADDRESS(·readNEONEntry, ·readNEON)
TEXT ·readNEON(SB), NOSPLIT|NOFRAME, $0-0
	PASSES(READ)

ADDRESS(·copyNEONEntry, ·copyNEON)
TEXT ·copyNEON(SB), NOSPLIT|NOFRAME, $0-0
	PASSES(COPY)
