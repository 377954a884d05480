/* Where BRISC begins when it is let out of reset: address 0 of its L1. */
    .equ WALL_CLOCK_L, 0xFFB121F0

    .section .text.start, "ax"
    .globl _start
_start:
    la   sp, stack_top
    li   s0, WALL_CLOCK_L
    lw   s1, 0(s0)
    call kernel
    lw   s2, 0(s0)
    la   t0, mailbox
    sw   s1, 4(t0)
    sw   s2, 8(t0)
    sw   a0, 12(t0)
    li   t1, 1
    beqz a0, 1f
    li   t1, 2
1:  sw   t1, 0(t0)          /* last: stores of one core arrive in order */
2:  j    2b                 /* until it is held in reset again */

    .bss
    .balign 16
    .globl mailbox
    .type  mailbox, @object
    .size  mailbox, 16
mailbox:
    .zero 16
    .zero 4096
stack_top:
