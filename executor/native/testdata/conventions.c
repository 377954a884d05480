// Functions that leave something otherwise than their callers had it. Each of them counts its calls in *calls.
#include <stdint.h>

#if defined(__x86_64__)
#define FUNCTION(name, code) \
	__attribute__((naked)) void name(long *calls) { __asm__("incq (%rdi)\n" code "\nret"); }
FUNCTION(loses_0, "xor %ebx, %ebx")
FUNCTION(loses_1, "xor %ebp, %ebp")
FUNCTION(loses_2, "xor %r12d, %r12d")
FUNCTION(loses_3, "sub $2, %r13")
FUNCTION(loses_4, "mov $0x1234, %r14d")
FUNCTION(loses_5, "mov $1000, %r15d")
FUNCTION(flushes, "sub $8, %rsp\n stmxcsr (%rsp)\n orl $0x8040, (%rsp)\n ldmxcsr (%rsp)\n add $8, %rsp")
FUNCTION(rounds, "sub $8, %rsp\n fnstcw (%rsp)\n orw $0xc00, (%rsp)\n fldcw (%rsp)\n add $8, %rsp")
FUNCTION(goes_down, "std")
FUNCTION(leaves_number, "fld1")
FUNCTION(leaves_mmx, "movd %edi, %mm0")
__attribute__((naked)) void pops(long *calls) { __asm__("incq (%rdi)\n ret $48"); }
FUNCTION(loses_all, "mov $7, %ebx\n mov %ebx, %ebp\n mov %ebx, %r12d\n mov %ebx, %r13d\n mov %ebx, %r14d\n mov %ebx, %r15d")
// Flags of what has happened may change.
FUNCTION(divides, "xorps %xmm0, %xmm0\n mov $1, %eax\n cvtsi2sd %eax, %xmm1\n divsd %xmm0, %xmm1")
#elif defined(__aarch64__)
#define FUNCTION(name, code) \
	__attribute__((naked)) void name(long *calls) { __asm__("ldr x9, [x0]\n add x9, x9, #1\n str x9, [x0]\n" code "\nret"); }
FUNCTION(loses_0, "mov x19, #0")
FUNCTION(loses_1, "mov x20, #7")
FUNCTION(loses_9, "mov x28, #0")
FUNCTION(loses_10, "mov x29, #0")
FUNCTION(loses_11, "fmov d8, xzr")
FUNCTION(loses_18, "fmov d15, xzr")
FUNCTION(flushes, "mrs x9, fpcr\n orr x9, x9, #0x1000000\n msr fpcr, x9")
FUNCTION(pops, "add sp, sp, #48")
// The upper halves are not kept, nor are the flags of what has happened.
FUNCTION(divides, "fmov d0, xzr\n fmov d1, #1.0\n fdiv d2, d1, d0\n mov v8.d[1], x9")
#endif
