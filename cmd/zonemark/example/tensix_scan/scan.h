/* A scan over a row of tiles: row i of the output is the sum of the rows 0 to i of the input. Each tile has one row.

   In a tile, BRISC (add.c) adds the tile's row to the sum that came from the tile before, NCRISC (send.c) writes the
   result over the NoC into the next tile, and TRISC0, TRISC1 and TRISC2 (most.c) look for the largest element of a
   third of the result each. scan.tensix says which core runs what.

   The .elf files were made by Debian's gcc-riscv64-unknown-elf 12.2.0, in this folder. NAME, SOURCE and START are
   add add 0, most0 most 0x6000, most1 most 0xA000, most2 most 0xE000, and send send 0x12000. PART is the digit of most:

     riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -O1 -ffreestanding -nostdlib -static -I.. -DPART=PART \
       -Wl,--build-id=none,--nmagic,--no-warn-rwx-segments,--discard-all,--defsym=START=START,-T,scan.ld \
       -o NAME.elf ../tensix_start.S SOURCE.c */
#include "tensix.h"

enum { N = 240 };

/* What the cores of a tile share, at an address that none of the programs uses otherwise. It is zero before a call. */
struct shared {
    int32_t sum[N];     /* of the rows up to this tile's */
    int32_t inbox[N];   /* the same of the tile before */
    volatile uint32_t arrived[4]; /* the first word is 1 when the inbox is full */
    volatile uint32_t added[4];   /* the first word is 1 when the sum is ready */
};
#define SHARED ((struct shared *)0x20000)

/* What the host tells of the tiles that run a program. */
struct grid {
    uint32_t index, count, device; /* this tile, how many there are, and the PCI id of the chip */
    uint32_t noc[32];              /* x | y << 6 of each, on NoC 0 */
};

/* The cycle counter, and the stretches of a kernel that it marks on the timeline. */
static inline uint32_t cycles(void) { return *(volatile uint32_t *)0xFFB121F0; }
struct zone { uint32_t begin, end; };
