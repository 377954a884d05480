package compilerflags

// plain are flags that stand alone.
const plain = `-ansi -pedantic -pedantic-errors -w -W -pthread -pipe -static-libgcc -nostdinc++ -ffat-lto-objects`

// valuedNames are names of flags whose value is a number or a word of the compiler's.
const valuedNames = `
-std
-falign-functions -falign-jumps -falign-labels -falign-loops -fcf-protection -fconstexpr-steps
-fcomplex-arithmetic -fdenormal-fp-math -fdenormal-fp-math-f32 -fexcess-precision -ffp-contract -ffp-eval-method
-ffp-exception-behavior -ffp-model -finline-limit -fira-algorithm -fira-region -flifetime-dse -flto
-flto-compression-level -fmax-errors -fopenmp -fpack-struct -fpermitted-flt-eval-methods -fpatchable-function-entry
-freorder-blocks-algorithm -fsched-stalled-insns -fsched-stalled-insns-dep -fsimd-cost-model -fstack-check
-fstack-reuse -ftemplate-depth -ftls-model -ftree-parallelize-loops -ftrivial-auto-var-init -fvect-cost-model
-fveclib -fvisibility -fzero-call-used-regs
-mabi -malign-data -malign-functions -malign-jumps -malign-loops -march -masm -mbranch-cost -mbranch-protection
-mcmodel -mcpu -mfloat-abi -mfpmath -mfpu -mfunction-return -mharden-sls -mincoming-stack-boundary -mindirect-branch
-mlarge-data-threshold -mmove-max -mprefer-vector-width -mpreferred-stack-boundary -mrecip
-msse2avx -mstack-protector-guard -mstore-max -mstringop-strategy -msve-vector-bits -mtls-dialect -mtls-size -mtune
-mveclibabi`

// features are flags of -f, each also as -fno-….
const features = `
-fPIC -fPIE -fpic -fpie -fplt -fpatchable-function-entry
-faggressive-loop-optimizations -falign-functions -falign-jumps -falign-labels -falign-loops -fallocation-dce
-fallow-store-data-races -fapprox-func -fargument-alias -fargument-noalias -fasm -fassociative-math
-fasynchronous-unwind-tables -fauto-inc-dec -fbit-tests -fbranch-count-reg -fbuiltin -fcaller-saves -fcode-hoisting
-fcombine-stack-adjustments -fcommon -fcompare-elim -fconserve-stack -fcprop-registers -fcrossjumping
-fcse-follow-jumps -fcx-fortran-rules -fcx-limited-range -fcf-protection -fdata-sections -fdce -fdefer-pop
-fdelayed-branch -fdelete-dead-exceptions -fdelete-null-pointer-checks -fdevirtualize -fdevirtualize-speculatively
-fdollars-in-identifiers -fdse -fearly-inlining -fexceptions -fexpensive-optimizations -fextended-identifiers
-ffast-math -ffinite-loops -ffinite-math-only -ffloat-store -ffold-simple-inlines -fforce-addr -fforward-propagate
-ffp-int-builtin-inexact -ffreestanding -ffunction-cse -ffunction-sections -fgcse -fgcse-after-reload -fgcse-las
-fgcse-lm -fgcse-sm -fgnu-unique -fgnu89-inline -fgraphite -fgraphite-identity -fguess-branch-probability
-fharden-compares -fharden-conditional-branches -fhoist-adjacent-loads -fhonor-infinities -fhonor-nans -fhosted -fident
-fif-conversion -fif-conversion2 -findirect-inlining -finline -finline-atomics -finline-functions
-finline-functions-called-once -finline-hint-functions -finline-small-functions -fipa-bit-cp -fipa-cp -fipa-cp-clone
-fipa-icf -fipa-icf-functions -fipa-icf-variables -fipa-modref -fipa-pta -fipa-pure-const -fipa-ra -fipa-reference
-fipa-reference-addressable -fipa-sra -fipa-stack-alignment -fipa-strict-aliasing -fipa-vrp -fira-hoist-pressure
-fira-loop-pressure -fira-share-save-slots -fira-share-spill-slots -fisolate-erroneous-paths-attribute
-fisolate-erroneous-paths-dereference -fivopts -fjump-tables -fkeep-inline-functions -fkeep-static-consts
-fkeep-static-functions -flarge-source-files -flax-vector-conversions -flifetime-dse -flimit-function-alignment
-flive-range-shrinkage -floop-interchange -floop-nest-optimize -floop-parallelize-all -floop-unroll-and-jam -flra-remat
-flto -fmath-errno -fmerge-all-constants -fmerge-constants -fmodulo-sched -fmodulo-sched-allow-regmoves
-fmove-loop-invariants -fmove-loop-stores -fms-extensions -fnon-call-exceptions -fnothrow-opt -fomit-frame-pointer
-fopenmp -fopenmp-simd -foptimize-sibling-calls -foptimize-strlen -fpack-struct -fpartial-inlining -fpeel-loops
-fpeephole -fpeephole2 -fpcc-struct-return -fplan9-extensions -fpredictive-commoning -fprefetch-loop-arrays
-fprintf-return-value -fprotect-parens -freciprocal-math -free -freg-struct-return -frename-registers -freorder-blocks
-freorder-blocks-and-partition -freorder-functions -frerun-cse-after-loop -freroll-loops
-freschedule-modulo-scheduled-loops -frounding-math -fsched-critical-path-heuristic -fsched-dep-count-heuristic
-fsched-group-heuristic -fsched-interblock -fsched-last-insn-heuristic -fsched-pressure -fsched-rank-heuristic
-fsched-spec -fsched-spec-insn-heuristic -fsched-spec-load -fsched-spec-load-dangerous -fsched-stalled-insns
-fsched-stalled-insns-dep -fsched2-use-superblocks -fschedule-fusion -fschedule-insns -fschedule-insns2
-fsection-anchors -fsel-sched-pipelining -fsel-sched-pipelining-outer-loops -fsel-sched-reschedule-pipelined
-fselective-scheduling -fselective-scheduling2 -fsemantic-interposition -fshort-enums -fshort-wchar -fshrink-wrap
-fshrink-wrap-separate -fsignaling-nans -fsigned-bitfields -fsigned-char -fsigned-zeros -fsingle-precision-constant
-fslp-vectorize -fsplit-ivs-in-unroller -fsplit-loops -fsplit-paths -fsplit-stack -fsplit-wide-types
-fsplit-wide-types-early -fssa-backprop -fssa-phiopt -fstack-check -fstack-clash-protection -fstack-protector
-fstack-protector-all -fstack-protector-explicit -fstack-protector-strong -fstdarg-opt -fstore-merging
-fstrict-aliasing -fstrict-enums -fstrict-float-cast-overflow -fstrict-overflow -fstrict-return
-fstrict-volatile-bitfields -fthread-jumps -ftoplevel-reorder -ftracer -ftrampolines -ftrapping-math -ftrapv
-ftree-bit-ccp -ftree-builtin-call-dce -ftree-ccp -ftree-ch -ftree-coalesce-vars -ftree-copy-prop -ftree-cselim
-ftree-dce -ftree-dominator-opts -ftree-dse -ftree-forwprop -ftree-fre -ftree-loop-distribute-patterns
-ftree-loop-distribution -ftree-loop-if-convert -ftree-loop-im -ftree-loop-ivcanon -ftree-loop-linear
-ftree-loop-optimize -ftree-loop-vectorize -ftree-lrs -ftree-partial-pre -ftree-phiprop -ftree-pre -ftree-pta
-ftree-reassoc -ftree-scev-cprop -ftree-sink -ftree-slp-vectorize -ftree-slsr -ftree-sra -ftree-switch-conversion
-ftree-tail-merge -ftree-ter -ftree-vectorize -ftree-vrp -funconstrained-commons -funit-at-a-time
-funroll-all-loops -funroll-completely-grow-size -funroll-loops -funsafe-math-optimizations -funsigned-bitfields
-funsigned-char -funswitch-loops -funwind-tables -fvar-tracking -fvar-tracking-assignments
-fvariable-expansion-in-unroller -fvect-cost-model -fvectorize -fversion-loops-for-strides -fvisibility-inlines-hidden
-fweb -fwhole-program -fwrapv -fwrapv-pointer -fzero-initialized-in-bss`

// machine are flags of -m, each also as -mno-…. Extensions of vectors are in a pattern, since there are new ones.
const machine = `
-m32 -m64 -m80387 -m128bit-long-double -m96bit-long-double -m3dnow -m3dnowa -m8bit-idiv -mabm
-maccumulate-outgoing-args -madx -maes -malign-double -malign-stringops -mapxf -mcall-ms2sysv-xlogues -mcld -mcldemote
-mclflushopt -mclwb -mclzero -mcmpccxadd -mcrc -mcrc32 -mcx16 -mdirect-extern-access -menqcmd -mf16c -mfancy-math-387
-mfix-cortex-a53-835769 -mfix-cortex-a53-843419 -mforce-drap -mforce-indirect-call -mfp-ret-in-387 -mfsgsbase
-mfused-madd -mfxsr -mgather -mgeneral-regs-only -mgfni -mhard-float -mhle -mhreset -mieee-fp
-mindirect-branch-cs-prefix -mindirect-branch-register -minline-all-stringops -minline-stringops-dynamically
-mlong-double-64 -mlong-double-80 -mlong-double-128 -mlow-precision-div -mlow-precision-recip-sqrt
-mlow-precision-sqrt -mlwp -mlzcnt -mmanual-endbr -mmmx -mmovbe -mmovdir64b -mmovdiri -mms-bitfields -mmwaitx
-momit-leaf-frame-pointer -moutline -moutline-atomics -mpc32 -mpc64 -mpc80 -mpclmul -mpku -mpopcnt -mprefer-avx128
-mprefetchi -mprefetchwt1 -mprfchw -mptwrite -mpush-args -mraoint -mrdpid -mrdrnd -mrdseed -mrecip -mred-zone
-mrelax-all -mrelax-cmpxchg-loop -mrtm -msahf -mscatter -mserialize -msha -msha512 -mshstk -mskip-rax-setup -msm3
-msm4 -msoft-float -mstack-arg-probe -mstackrealign -mstrict-align -mstv -mtbm -mtls-direct-seg-refs -mtsxldtrk
-munaligned-access -munaligned-symbols -musermsr -mvaes -mvect8-ret-in-mem -mvpclmulqdq -mvzeroupper -mwaitpkg
-mwbnoinvd -mwidekl -mkl -mxop`
