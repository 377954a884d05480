// Loading the registers in which a call frame passes arguments; see Frame. CUR holds the address of the frame.

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
