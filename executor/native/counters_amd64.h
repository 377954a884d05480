// READ_PMC reads a counter of the processor into AX, by the protocol of perf_event_mmap_page in linux/perf_event.h.
// page is a register with the address of the page. lock and offset are registers for the protocol, other than AX, CX
// and DX. offsetOnly and retry are labels of the caller's function. It spoils AX, CX, DX, lock, offset and the flags,
// refers to no symbol and does not fence.
//
// The page: lock, 32 bits at 8, changes with the page. index, 32 bits at 12, is the number of the counter plus one, or
// 0 if the event is on none. offset, 64 bits at 16, is added. pmc_width, 16 bits at 48, is the number of bits of the
// counter. The shifts take their distance modulo 64, so that minus the width shifts by 64 minus the width.
#define READ_PMC(page, lock, offset, retry, offsetOnly) \
retry: \
	MOVL    8(page), lock;    \
	MOVL    12(page), CX;     \
	MOVQ    16(page), offset; \
	XORL    AX, AX;           \
	TESTL   CX, CX;           \
	JEQ     offsetOnly;       \
	DECL    CX;               \
	RDPMC;                    \
	SHLQ    $32, DX;          \
	ORQ     DX, AX;           \
	MOVWLZX 48(page), CX;     \
	NEGL    CX;               \
	SHLQ    CX, AX;           \
	SARQ    CX, AX;           \
offsetOnly: \
	ADDQ    offset, AX;       \
	CMPL    8(page), lock;    \
	JNE     retry
