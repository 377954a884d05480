// Loading the registers in which a call frame passes arguments; see Frame. CUR holds the address of the frame.

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
