// Executes rdpmc for processors and systems that refuse it: a handler of the fault reads from a table.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

static struct sigaction before;
static const uint64_t *values; // of the counters, by number
static uint32_t *bumped;       // a lock that the next rdpmc changes; null for none
static int64_t *moved;         // an offset that the next rdpmc changes together with it
static uintptr_t executed;

static void handle(int number, siginfo_t *info, void *context) {
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  const uint8_t *code = (const uint8_t *)r[REG_RIP];
  // A jump to a bad address faults with the address in RIP: rdpmc is a fault without an address.
  if (info->si_code == SI_KERNEL && code[0] == 0x0f && code[1] == 0x33) {
    uint64_t v = values[(uint32_t)r[REG_RCX]];
    r[REG_RAX] = (uint32_t)v;
    r[REG_RDX] = v >> 32;
    r[REG_RIP] += 2;
    executed++;
    if (bumped) {
      ++*bumped;
      *moved += 1000;
      bumped = 0;
    }
    return;
  }
  before.sa_sigaction(number, info, context);
}

// Emulates rdpmc with a table. If lock is not null, the first rdpmc adds one to it and a thousand to the offset.
int emulate(const uint64_t *table, uint32_t *lock, int64_t *offset) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_sigaction = handle;
  a.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&a.sa_mask);
  values = table;
  bumped = lock;
  moved = offset;
  executed = 0;
  return sigaction(SIGSEGV, &a, &before);
}

// Ends the emulation and returns how many instructions were emulated.
uintptr_t restore(void) {
  sigaction(SIGSEGV, &before, 0);
  return executed;
}
