// void LOOP(struct control*), with at least one batch and one call. Its registers and macros are those of the file that
// includes it.
TEXT LOOP(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	PUSHQ R14
	PUSHQ R15
	SUBQ  $FRAME, SP
	STMXCSR MXCSR(SP)
	FSTCW X87CW(SP)
	CLD
	MOVQ  DI, CTL
	TESTQ $const_flagFlushDenormals, control_flags(CTL)
	JEQ   gradual
	MOVL  MXCSR(SP), AX
	ORL   $0x8040, AX // flush to zero, denormals are zero
	MOVL  AX, FIFTH(SP)
	LDMXCSR FIFTH(SP)
gradual:
	MOVQ  control_entry(CTL), FN
	MOVQ  control_current(CTL), CUR
	MOVQ  control_end(CTL), END
	MOVQ  control_stride(CTL), STRIDE

batch:
	MOVQ  control_prelude(CTL), LEFT
	MOVQ  LEFT, PRELUDE(SP) // if not 0, the calls that are made now are not timed
	TESTQ LEFT, LEFT
	JNE   choose

evict:
	CMPQ control_lineCount(CTL), $0
	JEQ  begin
	EVICT(range, line, plain, next)

begin:
	CMPQ control_pageCount(CTL), $0
	JEQ  time
	LFENCE
	READ_PAGES(before, COUNTS(SP), beforeAgain, beforeDone)
time:
	MOVQ  control_calls(CTL), LEFT
	TESTQ $const_flagCounter, control_flags(CTL)
	JEQ   choose
	READ_COUNTER
	MOVQ  AX, START(SP)

choose:
	MOVQ  control_flags(CTL), AX
	TESTQ $const_flagSerialized, AX
	JNE   inTurn
	TESTQ $const_flagSingle, AX
	JNE   single
inTurn:
	TESTQ $const_flagFull, AX
	JNE   chooseFull
	TESTQ $const_flagSerialized, AX
	JNE   serialized
	JMP   short

	// One frame without stack words, of up to six integers, or four and two floats: what a compiler makes of the same
	// loop in C. The integers stay in registers, of which there are four, since a load from the frame would wait for
	// stores of the callee to the same offset of another page. What is on the stack lies beside the return address.
single:
	MOVQ  CTL, CONTROL(SP)
	MOVQ  FN, POINTER(SP)
	MOVQ  32(CUR), DX
	MOVQ  DX, FIFTH(SP)
	MOVQ  40(CUR), DX
	MOVQ  DX, SIXTH(SP)
	MOVQ  8(CUR), BP
	MOVQ  16(CUR), R14
	TESTQ $const_flagFull, AX
	JNE   floats
	CMPQ  control_integers(CTL), $4
	MOVQ  24(CUR), BX // no longer CTL
	MOVQ  0(CUR), R12 // no longer CUR
	JHI   six
	TESTQ $const_flagPointer, AX
	JNE   pointer

	// Two calls a turn; an odd number of calls enters in the middle.
	INCQ  LEFT
	BTRQ  $0, LEFT
	JCC   fourth
	PCALIGN $64
four:
	KEPT_INTEGERS
	XORL AX, AX
	CALL FN
fourth:
	KEPT_INTEGERS
	XORL AX, AX
	CALL FN
	SUBQ $2, LEFT
	JNE  four
	JMP  same
	PCALIGN $64
pointer:
	KEPT_INTEGERS
	XORL AX, AX
	FILLER
	CALL POINTER(SP)
	DECQ LEFT
	JNE  pointer
	JMP  same
floats: // one call a turn
	MOVQ 48(CUR), DX
	MOVQ DX, FIFTH(SP)
	MOVQ 56(CUR), DX
	MOVQ DX, SIXTH(SP)
	MOVQ CTL, SI
	MOVQ 24(CUR), BX
	MOVQ 0(CUR), R12
	TESTQ $const_flagPointer, AX
	JNE  pointerFloats
	CMPQ control_vectors(SI), $1
	JHI  twoFloats
	PCALIGN $64
oneFloat:
	KEPT_INTEGERS
	MOVQ FIFTH(SP), X0
	MOVL $1, AX // vector registers, for variadic functions
	CALL FN
	DECQ LEFT
	JNE  oneFloat
	JMP  same
	PCALIGN $64
twoFloats:
	KEPT_INTEGERS
	MOVQ FIFTH(SP), X0
	MOVQ SIXTH(SP), X1
	MOVL $2, AX
	CALL FN
	DECQ LEFT
	JNE  twoFloats
	JMP  same
	PCALIGN $64
pointerFloats:
	KEPT_INTEGERS
	MOVQ FIFTH(SP), X0
	MOVQ SIXTH(SP), X1
	MOVL $2, AX
	FILLER
	CALL POINTER(SP)
	DECQ LEFT
	JNE  pointerFloats
	JMP  same
	PCALIGN $64
six:
	MOVQ FIFTH(SP), R8
	MOVQ SIXTH(SP), R9
	KEPT_INTEGERS
	XORL AX, AX
	FILLER
	CALL FN
	DECQ LEFT
	JNE  six
same:
	MOVQ CONTROL(SP), CTL
	MOVQ control_current(CTL), CUR
	MOVQ control_end(CTL), END
	MOVQ control_stride(CTL), STRIDE
	JMP  finish

	// Frames of up to six integers in turn.
	PCALIGN $64
short:
	LOAD_INTEGERS
	XORL AX, AX
	FILLER
	CALL FN
	ADVANCE
	DECQ LEFT
	JNE  short
	JMP  finish

serialized:
	LOAD_INTEGERS
	XORL AX, AX
	CALL FN
	LFENCE
	ADVANCE
	DECQ LEFT
	JNE  serialized
	JMP  finish

chooseFull:
	MOVQ  control_stackWords(CTL), CX
	TESTQ CX, CX
	JEQ   noStack
stackWord:
	MOVQ 104(CUR)(CX*8), AX // word CX-1 of those at byte 112
	MOVQ AX, -8(SP)(CX*8)
	DECQ CX
	JNE  stackWord
noStack:
	LOAD_INTEGERS
	LOAD_FLOATS
	MOVL control_vectors(CTL), AX // a variadic function saves as many vector registers as AL says
	FILLER
	CALL FN
	TESTQ $const_flagSerialized, control_flags(CTL)
	JEQ  retired
	LFENCE
retired:
	ADVANCE
	DECQ LEFT
	JNE  chooseFull

finish:
	CMPQ  PRELUDE(SP), $0
	MOVQ  $0, PRELUDE(SP)
	JNE   evict
	MOVQ  AX, LEFT // RDTSC overwrites AX
	TESTQ $const_flagCounter, control_flags(CTL)
	JEQ   counted
	READ_COUNTER
	SUBQ  START(SP), AX
	MOVQ  control_results(CTL), CX
	MOVQ  AX, 0(CX)
	ADDQ  $8, CX
	MOVQ  CX, control_results(CTL)
counted:
	CMPQ  control_pageCount(CTL), $0
	JEQ   noted
	READ_PAGES(after, AFTER(SP), afterAgain, afterDone)
	XORL  CX, CX
	MOVQ  control_counts(CTL), DX
note:
	MOVQ  AFTER(SP)(CX*8), AX
	SUBQ  COUNTS(SP)(CX*8), AX
	MOVQ  AX, 0(DX)
	ADDQ  $8, DX
	INCQ  CX
	CMPQ  CX, control_pageCount(CTL)
	JCS   note
	MOVQ  DX, control_counts(CTL)
noted:
	DECQ  control_batches(CTL)
	JNE   batch

	MOVQ  LEFT, control_returnedInt(CTL)
	MOVQ  X0, control_returnedFloat(CTL)
	MOVQ  CUR, control_current(CTL)
	// Restores the state that Go had, whatever state native code has left.
	CLD
	EMMS
	FLDCW X87CW(SP)
	LDMXCSR MXCSR(SP)
	ADDQ  $FRAME, SP
	POPQ  R15
	POPQ  R14
	POPQ  R13
	POPQ  R12
	POPQ  BX
	POPQ  BP
	RET
