// void LOOP(struct control*), with at least one batch and one call. Its registers and macros are those of the file that
// includes it.
TEXT LOOP(SB), NOSPLIT|NOFRAME, $0-0
	SUB  $SAVED, RSP
	STP  (R29, R30), 0(RSP)
	STP  (R19, R20), 16(RSP)
	STP  (R21, R22), 32(RSP)
	STP  (R23, R24), 48(RSP)
	STP  (R25, R26), 64(RSP)
	STP  (R27, g), 80(RSP)
	MRS  FPCR, R9
	MOVD R9, 96(RSP)
	SUB  $OUTGOING, RSP
	MOVD R0, CTL
	MOVD control_flags(CTL), R10
	TST  $const_flagFlushDenormals, R10
	BEQ  gradual
	ORR  $(1<<24), R9 // FZ
	MSR  R9, FPCR
gradual:
	MOVD control_entry(CTL), FN
	MOVD control_current(CTL), CUR
	MOVD control_base(CTL), BASE
	MOVD control_end(CTL), END
	MOVD control_stride(CTL), STRIDE

batch:
	MOVD control_flags(CTL), R9
	MOVD control_prelude(CTL), LEFT
	MOVD LEFT, PRELUDE(RSP) // if not 0, the calls that are made now are not timed
	CBNZ LEFT, choose

evict:
	MOVD control_lineCount(CTL), R9
	CBZ  R9, begin
	EVICT(range, line)

begin:
	MOVD control_calls(CTL), LEFT
	MOVD control_flags(CTL), R9
	TST  $const_flagCounter, R9
	BEQ  choose
	ISB  $15
	MRS  CNTVCT_EL0, START
	ISB  $15

choose:
	TST  $const_flagFull, R9
	BNE  full
	TST  $const_flagSerialized, R9
	BNE  serialized

	PCALIGN $64
short:
	LOAD_INTEGERS
	CALL (FN)
	ADVANCE
	SUBS $1, LEFT
	BNE  short
	B    finish

serialized:
	LOAD_INTEGERS
	CALL (FN)
	RETIRE
	ADVANCE
	SUBS $1, LEFT
	BNE  serialized
	B    finish

full:
	MOVD control_stackWords(CTL), R9
	CBZ  R9, noStack
	ADD  $128, CUR, R10
	MOVD RSP, R11
stackWord:
	MOVD.P 8(R10), R12
	MOVD.P R12, 8(R11)
	SUBS   $1, R9
	BNE    stackWord
noStack:
	LOAD_INTEGERS
	LOAD_FLOATS
	CALL (FN)
	MOVD control_flags(CTL), R9
	TST  $const_flagSerialized, R9
	BEQ  retired
	RETIRE
retired:
	ADVANCE
	SUBS $1, LEFT
	BNE  full

finish:
	MOVD PRELUDE(RSP), R9
	MOVD ZR, PRELUDE(RSP)
	CBNZ R9, evict
	MOVD control_flags(CTL), R9
	TST  $const_flagCounter, R9
	BEQ  counted
	ISB  $15
	MRS  CNTVCT_EL0, R9
	ISB  $15
	SUB  START, R9
	MOVD control_results(CTL), R10
	MOVD.P R9, 8(R10)
	MOVD R10, control_results(CTL)
counted:
	MOVD control_batches(CTL), R9
	SUBS $1, R9
	MOVD R9, control_batches(CTL)
	BNE  batch

	MOVD  R0, control_returnedInt(CTL)
	FMOVD F0, control_returnedFloat(CTL)
	MOVD  CUR, control_current(CTL)
	ADD   $OUTGOING, RSP
	MOVD  96(RSP), R9 // restores Go's rounding, whatever native code has left
	MSR   R9, FPCR
	LDP   0(RSP), (R29, R30)
	LDP   16(RSP), (R19, R20)
	LDP   32(RSP), (R21, R22)
	LDP   48(RSP), (R23, R24)
	LDP   64(RSP), (R25, R26)
	LDP   80(RSP), (R27, g)
	ADD   $SAVED, RSP
	RET
