// A stand-in for Tenstorrent's simulator, for tests only, written for zonemark. It has the ten functions of libttsim.so
// and the parts of cards that bare programs need: PCI configuration space, one window of BAR 0, and Tensix tiles with
// L1, reset register, cycle counter, five RISC-V cores (RV32IM, one instruction a cycle), and writes over NoC 0.
// Everything else ends the process as the simulator does: with a text on standard output and exit status 1.
//   -DBLACKHOLE  Blackhole cards instead of Wormhole ones
//   -DDEVICE=N   another PCI device
//   -DCHIPS=N    several cards
//   -DDRAM=N     maps N times 4 GiB at the start, as the simulator does, of which it touches one page
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef BLACKHOLE
enum { ID = 0xb140, L1 = 1536 << 10, PAGE_BITS = 21, ENTRY_BYTES = 12, ENTRY_WIDTH = 4 };
enum { FIRST_ROW = 2, LAST_COLUMN = 16 };
enum { TARGET_TILE = 0x8, RETURN_TILE = 0x14, TILE_SHIFT = 0, LENGTH = 0x20, CONTROL = 0x1C, COMMAND = 0x40 };
static const uint64_t WINDOW = 0, ENTRY = 0x1FC00000;
static int skipped(uint32_t x, uint32_t y) { (void)y; return x == 8 || x == 9; }
#else
enum { ID = 0x401e, L1 = 1464 << 10, PAGE_BITS = 24, ENTRY_BYTES = 8, ENTRY_WIDTH = 8 };
enum { FIRST_ROW = 1, LAST_COLUMN = 9 };
enum { TARGET_TILE = 0x4, RETURN_TILE = 0x10, TILE_SHIFT = 4, LENGTH = 0x20, CONTROL = 0x1C, COMMAND = 0x28 };
static const uint64_t WINDOW = 0xB000000, ENTRY = 0x1FC00000 + 166 * 8;
static int skipped(uint32_t x, uint32_t y) { return x == 5 || y == 6; }
#endif
#ifndef DEVICE
#define DEVICE ID
#endif
#ifndef CHIPS
#define CHIPS 1
#endif
#ifndef DRAM
#define DRAM 0
#endif

static const uint64_t BAR0 = 0x100000000, STRIDE = 0x1000000000;
enum { SOFT_RESET_0 = 0xFFB121B0, WALL_CLOCK_L = 0xFFB121F0, NOC = 0xFFB20000, WRITES_ACKED = 0x204 };
enum { CORES = 5, COLUMNS = 17, ROWS = 12, LAST_ROW = 11, NOC_BYTES = 0x400 };
enum { TARGET = 0x0, RETURN = 0xC, WRITE_WITH_ACK = 0x12 };

// The cores in the order in which they step: BRISC, TRISC0 to 2, NCRISC.
static const uint32_t HELD[CORES] = {0x800, 0x1000, 0x2000, 0x4000, 0x40000};
static const uint32_t START[CORES] = {0, 0x6000, 0xA000, 0xE000, 0x12000};

struct core { uint32_t x[32], pc; };
struct tile { uint8_t l1[L1]; struct core cores[CORES]; uint32_t soft_reset, noc[NOC_BYTES / 4], acked; };
static struct tile *tiles[CHIPS][COLUMNS][ROWS]; // made when they are first used
static struct tile *used[CHIPS][COLUMNS * ROWS + 1]; // the same, row by row, without gaps; ends with 0
static uint8_t entry[CHIPS][ENTRY_BYTES];
static uint32_t started;
static uint64_t cycle;
static struct tile *tile; // the one that steps or is accessed
static struct core *core;
static int chip;

static void fatal(const char *what, uint64_t where, uint32_t size) {
  printf("ERROR: UnsupportedFunctionality: %s: address=0x%llx size=%u\n", what, (unsigned long long)where, size);
  fflush(stdout);
  _Exit(1);
}

void libttsim_init(void) {
  if (started++) fatal("libttsim_init: a second time", 0, 0);
  for (int i = 0; i < DRAM; i++) {
    char *dram = mmap(0, 4ull << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (dram == MAP_FAILED) fatal("DRAM mmap() failed", i, 0);
    dram[0] = 1;
  }
}
void libttsim_exit(void) {}
void libttsim_set_pci_dma_mem_callbacks(void *a, void *b) { (void)a; (void)b; }
void libttsim_tile_rd_bytes(uint32_t tx, uint32_t ty, uint64_t at, void *p, uint32_t n) {
  (void)tx; (void)ty; (void)p;
  fatal("tile_rd_bytes", at, n);
}
void libttsim_tile_wr_bytes(uint32_t tx, uint32_t ty, uint64_t at, const void *p, uint32_t n) {
  (void)tx; (void)ty; (void)p;
  fatal("tile_wr_bytes", at, n);
}

uint32_t libttsim_pci_config_rd32(uint32_t bdf, uint32_t offset) {
  uint32_t device = bdf >> 3;
  if (bdf & 7 || !started) fatal("pci_config_rd32", offset, 4);
  if (device >= CHIPS) return 0xffffffff;
  switch (offset) {
  case 0: return 0x1e52 | (uint32_t)DEVICE << 16;
  case 0x10: return (uint32_t)BAR0 | 0xc; // a 64-bit BAR, prefetchable
  case 0x14: return (BAR0 + device * STRIDE) >> 32;
  }
  fatal("pci_config_rd32", offset, 4);
  return 0;
}
void libttsim_pci_config_wr32(uint32_t bdf, uint32_t offset, uint32_t v) {
  (void)bdf; (void)v;
  fatal("pci_config_wr32", offset, 4);
}

// Returns the tile at coordinates of the NoC of a chip.
static struct tile *tile_at(int which, uint32_t at) {
  uint32_t x = at & 63, y = at >> 6;
  if (x < 1 || x > LAST_COLUMN || y < FIRST_ROW || y > LAST_ROW || skipped(x, y))
    fatal("no tile at these coordinates", at, 4);
  struct tile **t = &tiles[which][x][y];
  if (!*t) {
    *t = calloc(1, sizeof **t);
    if (!*t) fatal("memory of a tile", at, sizeof **t);
    memset((*t)->l1, 0xa5, L1);
    (*t)->soft_reset = 0x47800;
    struct tile **next = used[which];
    for (uint32_t row = 0; row < ROWS; row++)
      for (uint32_t column = 0; column < COLUMNS; column++)
        if (tiles[which][column][row]) *next++ = tiles[which][column][row];
  }
  return *t;
}

// Returns the address that the window shows at an offset, and selects its tile.
static uint64_t shown(uint64_t offset) {
  uint64_t low = 0, page;
  memcpy(&low, entry[chip], 8);
#ifdef BLACKHOLE
  page = (low & 0xffffffff) | (low >> 32 & 0x7ff) << 32;
  tile = tile_at(chip, low >> 43 & 0xfff);
#else
  page = low & 0xfff;
  tile = tile_at(chip, low >> 12 & 0xfff);
#endif
  return page << PAGE_BITS | offset;
}

// Makes the transfer that the first command buffer of NoC 0 describes.
static void transfer(void) {
  uint32_t *r = tile->noc, from = r[TARGET / 4], to = r[RETURN / 4], n = r[LENGTH / 4];
  if (r[CONTROL / 4] != WRITE_WITH_ACK) fatal("noc: control", r[CONTROL / 4], 4);
  if (tile_at(chip, r[TARGET_TILE / 4] >> TILE_SHIFT) != tile) fatal("noc: the source is another tile", from, n);
  struct tile *other = tile_at(chip, r[RETURN_TILE / 4] >> TILE_SHIFT);
  if (!n || n > 8192 || from > L1 - n || to > L1 - n || (from & 15) != (to & 15)) fatal("noc: write", to, n);
  memcpy(other->l1 + to, tile->l1 + from, n);
  tile->acked++;
}

static uint32_t reg_read(uint64_t at) {
  if (at == WALL_CLOCK_L) return (uint32_t)cycle;
  if (at == SOFT_RESET_0) return tile->soft_reset;
  if (at == NOC + COMMAND) return 0; // a transfer ends at once
  if (at == NOC + WRITES_ACKED) return tile->acked;
  fatal("tensix register read", at, 4);
  return 0;
}
static void reg_write(uint64_t at, uint32_t v) {
  if (at - NOC < NOC_BYTES) {
    tile->noc[(at - NOC) / 4] = v;
    if (at == NOC + COMMAND) transfer();
    return;
  }
  if (at != SOFT_RESET_0) fatal("tensix register write", at, 4);
  for (int i = 0; i < CORES; i++)
    if (tile->soft_reset & HELD[i] && !(v & HELD[i])) {
      tile->cores[i].pc = START[i];
      memset(tile->cores[i].x, 0xa5, sizeof tile->cores[i].x);
    }
  tile->soft_reset = v;
}

static void access_bytes(uint64_t paddr, uint8_t *p, uint32_t n, int writing) {
  chip = paddr / STRIDE;
  if (chip >= CHIPS) fatal("pci_mem: no such card", paddr, n);
  uint64_t at = paddr - chip * STRIDE - BAR0;
  if (at - ENTRY < ENTRY_BYTES) {
    if (!writing || n != ENTRY_WIDTH || (at - ENTRY) % ENTRY_WIDTH)
      fatal(writing ? "pci_mem_wr_cur: bar0" : "pci_mem_rd_cur: bar0", at, n);
    memcpy(entry[chip] + (at - ENTRY), p, n);
    return;
  }
  if (at - WINDOW >= 1ull << PAGE_BITS || n > (1ull << PAGE_BITS) - (at - WINDOW)) fatal("pci_mem: bar0", at, n);
  at = shown(at - WINDOW);
  if (n % 4 || at % 4) fatal("pci_mem: tile access", at, n);
  if (at < L1 && n <= L1 - at) {
    if (writing) memcpy(tile->l1 + at, p, n); else memcpy(p, tile->l1 + at, n);
    return;
  }
  if (n != 4) fatal("pci_mem: tile access", at, n);
  uint32_t v;
  if (writing) { memcpy(&v, p, 4); reg_write(at, v); } else { v = reg_read(at); memcpy(p, &v, 4); }
}
void libttsim_pci_mem_rd_bytes(uint64_t paddr, void *p, uint32_t n) { access_bytes(paddr, p, n, 0); }
void libttsim_pci_mem_wr_bytes(uint64_t paddr, const void *p, uint32_t n) { access_bytes(paddr, (uint8_t *)p, n, 1); }

static uint32_t load(uint32_t at, int width) {
  uint32_t v = 0;
  if (at % width) fatal("riscv: misaligned load", at, width);
  if (at < L1) memcpy(&v, tile->l1 + at, width);
  else if (width == 4) v = reg_read(at);
  else fatal("riscv: load", at, width);
  return v;
}
static void store(uint32_t at, uint32_t v, int width) {
  if (at % width) fatal("riscv: misaligned store", at, width);
  if (at < L1) memcpy(tile->l1 + at, &v, width);
  else if (width == 4) reg_write(at, v);
  else fatal("riscv: store", at, width);
}

static uint32_t muldiv(uint32_t f3, uint32_t a, uint32_t b) {
  int32_t sa = (int32_t)a, sb = (int32_t)b;
  switch (f3) {
  case 0: return a * b;
  case 1: return (uint64_t)((int64_t)sa * sb) >> 32;
  case 2: return (uint64_t)((int64_t)sa * (int64_t)(uint64_t)b) >> 32;
  case 3: return (uint64_t)a * b >> 32;
  case 4: return b == 0 ? ~0u : a == 0x80000000 && sb == -1 ? a : (uint32_t)(sa / sb);
  case 5: return b == 0 ? ~0u : a / b;
  case 6: return b == 0 ? a : a == 0x80000000 && sb == -1 ? 0 : (uint32_t)(sa % sb);
  }
  return b == 0 ? a : a % b;
}
static uint32_t alu(uint32_t f3, uint32_t a, uint32_t b, int alternate, int immediate) {
  switch (f3) {
  case 0: return alternate && !immediate ? a - b : a + b;
  case 1: return a << (b & 31);
  case 2: return (int32_t)a < (int32_t)b;
  case 3: return a < b;
  case 4: return a ^ b;
  case 5: return alternate ? (uint32_t)((int32_t)a >> (b & 31)) : a >> (b & 31);
  case 6: return a | b;
  }
  return a & b;
}
static int taken(uint32_t f3, uint32_t a, uint32_t b, uint32_t instruction) {
  switch (f3) {
  case 0: return a == b;
  case 1: return a != b;
  case 4: return (int32_t)a < (int32_t)b;
  case 5: return (int32_t)a >= (int32_t)b;
  case 6: return a < b;
  case 7: return a >= b;
  }
  fatal("riscv: branch", instruction, 4);
  return 0;
}

static void step(void) {
  uint32_t *x = core->x, pc = core->pc, i, next = pc + 4, out = 0;
  x[0] = 0;
  if (pc % 4 || pc >= L1) fatal("riscv: instruction fetch", pc, 4);
  memcpy(&i, tile->l1 + pc, 4);
  uint32_t op = i & 0x7f, rd = i >> 7 & 31, f3 = i >> 12 & 7, f7 = i >> 25;
  uint32_t a = x[i >> 15 & 31], b = x[i >> 20 & 31];
  int32_t imm_i = (int32_t)i >> 20, imm_s = ((int32_t)i >> 25) * 32 | (i >> 7 & 31);
  int32_t imm_b = ((int32_t)i >> 31) * 4096 | (i << 4 & 0x800) | (i >> 20 & 0x7e0) | (i >> 7 & 0x1e);
  int32_t imm_j = ((int32_t)i >> 31) * (1 << 20) | (i & 0xff000) | (i >> 9 & 0x800) | (i >> 20 & 0x7fe);
  switch (op) {
  case 0x37: out = i & 0xfffff000; break;
  case 0x17: out = pc + (i & 0xfffff000); break;
  case 0x6f: out = next; next = pc + imm_j; break;
  case 0x67: out = next; next = (a + imm_i) & ~1u; break;
  case 0x63: rd = 0; if (taken(f3, a, b, i)) next = pc + imm_b; break;
  case 0x03:
    switch (f3) {
    case 0: out = (int8_t)load(a + imm_i, 1); break;
    case 1: out = (int16_t)load(a + imm_i, 2); break;
    case 2: out = load(a + imm_i, 4); break;
    case 4: out = load(a + imm_i, 1); break;
    case 5: out = load(a + imm_i, 2); break;
    default: fatal("riscv: load", i, 4);
    }
    break;
  case 0x23: rd = 0; if (f3 > 2) fatal("riscv: store", i, 4); store(a + imm_s, b, 1 << f3); break;
  case 0x13:
    out = alu(f3, a, f3 == 1 || f3 == 5 ? (uint32_t)imm_i & 31 : (uint32_t)imm_i, f7 == 0x20 && f3 == 5, 1);
    break;
  case 0x33: out = f7 == 1 ? muldiv(f3, a, b) : alu(f3, a, b, f7 == 0x20, 0); break;
  case 0x0f: rd = 0; break;
  default: fatal("riscv: instruction", i, 4);
  }
  if (rd) x[rd] = out;
  core->pc = next;
}

static void step_tile(void) {
  for (int i = 0; i < CORES; i++)
    if (!(tile->soft_reset & HELD[i])) {
      core = &tile->cores[i];
      step();
    }
}

void libttsim_clock(uint32_t n) {
  for (; n; n--, cycle++)
    for (chip = 0; chip < CHIPS; chip++)
      for (struct tile **t = used[chip]; (tile = *t); t++) step_tile();
}
