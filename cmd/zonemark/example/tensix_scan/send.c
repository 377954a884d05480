/* NCRISC: writes the sum of this tile into the next one. */
#include "scan.h"

volatile struct grid tensix_grid;
volatile struct zone zone_wait, zone_send;

enum { WORMHOLE = 0x401e, BLACKHOLE = 0xb140 };
enum { WRITE = 0x2, RESPONSE = 0x10 };

static inline volatile uint32_t *noc(uint32_t offset) { return (volatile uint32_t *)(0xFFB20000 + offset); }

/* Writes bytes of L1 of this tile into another one, and waits until they are there. Both addresses are multiples of 16.
   The addresses of registers are those of the first command buffer of NoC 0. */
static void write_to(uint32_t tile, volatile void *to, volatile void *from, uint32_t bytes)
{
    uint32_t here = tensix_grid.noc[tensix_grid.index], acknowledged = *noc(0x204), command;
    *noc(0x0) = (uint32_t)from;
    *noc(0xC) = (uint32_t)to;
    if (tensix_grid.device == WORMHOLE) { /* coordinates begin at bit 36 */
        *noc(0x4) = here << 4;
        *noc(0x10) = tile << 4;
        command = 0x28;
    } else { /* coordinates have registers of their own */
        *noc(0x4) = *noc(0x10) = 0;
        *noc(0x8) = here;
        *noc(0x14) = tile;
        command = 0x40;
    }
    *noc(0x1C) = WRITE | RESPONSE;
    *noc(0x20) = bytes;
    *noc(command) = 1;
    while (*noc(0x204) == acknowledged)
        ;
}

int kernel(void)
{
    struct shared *s = SHARED;
    uint32_t next = tensix_grid.index + 1;
    if (tensix_grid.device != WORMHOLE && tensix_grid.device != BLACKHOLE)
        return 1;
    zone_wait.begin = cycles();
    while (!s->added[0])
        ;
    zone_wait.end = cycles();
    if (next == tensix_grid.count)
        return 0;
    zone_send.begin = cycles();
    write_to(tensix_grid.noc[next], s->inbox, s->sum, sizeof s->sum);
    write_to(tensix_grid.noc[next], s->arrived, s->added, sizeof s->added);
    zone_send.end = cycles();
    return 0;
}
