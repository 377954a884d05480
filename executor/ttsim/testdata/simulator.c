// A stand-in for Tenstorrent's simulator, for tests only, written for zonemark. It has the ten functions of libttsim.so
// and the parts of a card that a bare program on BRISC needs, the first RISC-V core of the first Tensix core: PCI
// configuration space, one window of BAR 0, L1, the reset register, the cycle counter, and an interpreter of RV32IM
// that runs one instruction a cycle. Everything else ends the process as the simulator does: with a text on standard
// output and exit status 1.
//   -DBLACKHOLE  a Blackhole card instead of a Wormhole one
//   -DDEVICE=N   another PCI device
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BLACKHOLE
enum { ID = 0xb140, CORE = 1 | 2 << 6, L1 = 1536 << 10, PAGE_BITS = 21, ENTRY_BYTES = 12, ENTRY_WIDTH = 4 };
static const uint64_t WINDOW = 0, ENTRY = 0x1FC00000;
#else
enum { ID = 0x401e, CORE = 1 | 1 << 6, L1 = 1464 << 10, PAGE_BITS = 24, ENTRY_BYTES = 8, ENTRY_WIDTH = 8 };
static const uint64_t WINDOW = 0xB000000, ENTRY = 0x1FC00000 + 166 * 8;
#endif
#ifndef DEVICE
#define DEVICE ID
#endif

static const uint64_t BAR0 = 0x100000000;
enum { SOFT_RESET_0 = 0xFFB121B0, WALL_CLOCK_L = 0xFFB121F0, BRISC_HELD = 0x800 };

static uint8_t l1[L1], entry[ENTRY_BYTES];
static uint32_t x[32], pc, soft_reset = 0x47800, started;
static uint64_t cycle;

static void fatal(const char *what, uint64_t where, uint32_t size) {
  printf("ERROR: UnsupportedFunctionality: %s: address=0x%llx size=%u\n", what, (unsigned long long)where, size);
  fflush(stdout);
  _Exit(1);
}

void libttsim_init(void) { if (started++) fatal("libttsim_init: a second time", 0, 0); }
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
  if (bdf || !started) fatal("pci_config_rd32", offset, 4);
  switch (offset) {
  case 0: return 0x1e52 | (uint32_t)DEVICE << 16;
  case 0x10: return (uint32_t)BAR0 | 0xc; // a 64-bit BAR, prefetchable
  case 0x14: return BAR0 >> 32;
  }
  fatal("pci_config_rd32", offset, 4);
  return 0;
}
void libttsim_pci_config_wr32(uint32_t bdf, uint32_t offset, uint32_t v) {
  (void)bdf; (void)v;
  fatal("pci_config_wr32", offset, 4);
}

// Returns the address of the first Tensix core that the window shows at an offset.
static uint64_t shown(uint64_t offset, uint32_t n) {
  uint64_t low = 0, page, core;
  memcpy(&low, entry, 8);
#ifdef BLACKHOLE
  page = (low & 0xffffffff) | (low >> 32 & 0x7ff) << 32;
  core = low >> 43 & 0xfff;
#else
  page = low & 0xfff;
  core = low >> 12 & 0xfff;
#endif
  if (core != CORE) fatal("no tile at these coordinates", core, n);
  return page << PAGE_BITS | offset;
}

static uint32_t reg_read(uint64_t at) {
  if (at == WALL_CLOCK_L) return (uint32_t)cycle;
  if (at == SOFT_RESET_0) return soft_reset;
  fatal("tensix register read", at, 4);
  return 0;
}
static void reg_write(uint64_t at, uint32_t v) {
  if (at != SOFT_RESET_0) fatal("tensix register write", at, 4);
  if (soft_reset & BRISC_HELD && !(v & BRISC_HELD)) { pc = 0; memset(x, 0xa5, sizeof x); }
  soft_reset = v;
}

static void access_bytes(uint64_t paddr, uint8_t *p, uint32_t n, int writing) {
  uint64_t at = paddr - BAR0;
  if (at - ENTRY < ENTRY_BYTES) {
    if (!writing || n != ENTRY_WIDTH || (at - ENTRY) % ENTRY_WIDTH)
      fatal(writing ? "pci_mem_wr_cur: bar0" : "pci_mem_rd_cur: bar0", at, n);
    memcpy(entry + (at - ENTRY), p, n);
    return;
  }
  if (at - WINDOW >= 1ull << PAGE_BITS || n > (1ull << PAGE_BITS) - (at - WINDOW)) fatal("pci_mem: bar0", at, n);
  at = shown(at - WINDOW, n);
  if (n % 4 || at % 4) fatal("pci_mem: tile access", at, n);
  if (at < L1 && n <= L1 - at) {
    if (writing) memcpy(l1 + at, p, n); else memcpy(p, l1 + at, n);
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
  if (at < L1) memcpy(&v, l1 + at, width);
  else if (width == 4) v = reg_read(at);
  else fatal("riscv: load", at, width);
  return v;
}
static void store(uint32_t at, uint32_t v, int width) {
  if (at % width) fatal("riscv: misaligned store", at, width);
  if (at < L1) memcpy(l1 + at, &v, width);
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
  if (pc % 4 || pc >= L1) fatal("riscv: instruction fetch", pc, 4);
  uint32_t i, next = pc + 4, out = 0;
  memcpy(&i, l1 + pc, 4);
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
  x[0] = 0;
  if (rd) x[rd] = out;
  x[0] = 0;
  pc = next;
}

void libttsim_clock(uint32_t n) {
  for (; n; n--, cycle++) {
    x[0] = 0;
    if (!(soft_reset & BRISC_HELD)) step();
  }
}
