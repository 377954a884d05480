"""Halide generators that zonemark measures: one file for a kernel or a family of kernels that differ in a size.

Each file is a program, as Halide's Python generators are:

    python blur.py -g blur3x3 -o FOLDER -e object,c_header target=host

All of them have the parameter ``schedule``. ``manual`` (the default) applies the schedule that is written in the file, ``none`` leaves
Halide's default schedule, in which every function is computed where it is used. Only what softmax and l2norm reduce of a row is stored
then, too, since they would reduce the row again for each of its elements. An autoscheduler (``autoscheduler=Adams2019``) replaces both.

Types are fixed; sizes are those of the buffers, and the estimates are the sizes that zonemark measures. A schedule needs outputs that are
at least as large as its vectors and tiles; Halide reports smaller ones as accesses outside of a buffer.

The first dimension of a buffer is the one whose neighbours are adjacent in memory. A file imports others of this folder by their plain
names, since Python looks for them beside the program.
"""
