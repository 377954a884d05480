/* What a kernel for zonemark's runtime ttsim looks like: it runs on the first RISC-V core (BRISC) of a Tensix core, finds its buffers in L1 under the names input0,
   input1, ..., output0, ..., each with its element type behind it where that is not i32 (input0_ui8, output0_i64, ...), and ends by returning 0, or a number of its
   own for what went wrong. A 32-bit word param_NAME is set by --param NAME=VALUE.

   The .elf files beside the sources were made by Debian's gcc-riscv64-unknown-elf 12.2.0, KERNEL being add and scale:

     riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -O1 -ffreestanding -nostdlib -static \
       -Wl,--build-id=none,--nmagic,--no-warn-rwx-segments,--discard-all,-T,tensix.ld -o tensix_KERNEL.elf tensix_start.S tensix_KERNEL.c */
#include <stdint.h>

int kernel(void);

/* What the host polls: tensix_start.S fills it in around the kernel. */
struct mailbox {
    uint32_t status;     /* 0: running, 1: done, 2: failed */
    uint32_t begin, end; /* the core's cycle counter before and after the kernel */
    uint32_t code;       /* what the kernel returned */
};
