"""The flags of the binary as keywords. This file is made from the flags of its verbs by TestPythonFlags of cmd/zonemark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from zonemark.words import Content, Fraction, Pairs, Size, Text, Time


class Measuring(TypedDict, total=False):
    """Flags of ``zonemark run`` and ``zonemark compare``."""

    # calls between two clock reads; 0: chosen to be long against the clock
    calls_per_batch: int | None
    # C compiler, instead of that of CC, or else cc, gcc or clang
    cc: Text | None
    # for Halide: flags for the sources of generators, such as -IFOLDER or -lNAME; for C: flags of the compiler, such as '-O3 -march=native'; -O2
    # if there are none
    cflags: Text | None
    # devices that a PJRT plugin runs a program on at once, each with inputs of its own; 0: all
    chips: int | None
    # load programs that a PJRT plugin has compiled before from the cache (default: on)
    compile_cache: Literal["on", "off"] | None
    # flags of iree-compile for MLIR, separated by spaces
    compile_flags: Text | None
    # one option of a PJRT plugin's compiler, such as optimization_level=1; repeatable
    compile_option: Pairs | None
    # options of a PJRT plugin's compiler as a serialized CompileOptionsProto, taken as it is
    compile_options_file: Text | None
    # events of the processor to count: auto, off, or a list such as instructions,branch_misses,cpu/r01c2/; auto counts them and shows them with
    # -v
    counters: Text | None
    # pin the measuring thread to this CPU
    cpu: int | Text | None
    # simulated cycles after which a RISC-V program has failed; 20,000,000 when left out
    cycle_limit: int | None
    # device of IREE modules: local-sync, local-task, or another that the runtime has
    device: Text | None
    # size of an open dimension of ONNX models, such as batch=1; one without a name is INPUT.AXIS; repeatable
    dim: Pairs | None
    # native code gets this variable of the environment, too; repeatable. It gets those of the loader, the C library and runtimes, and no others
    env: Text | Sequence[Text] | None
    # keep only invocations whose name matches this regular expression
    filter: Text | None
    # build only this generator of the source; several are separated by commas
    generator: Text | None
    # one parameter of the generators; repeatable
    generator_param: Pairs | None
    # header with the prototypes of the functions of a library, or of a C file
    header: Text | None
    # arguments lie in huge pages, if there are any
    huge_pages: bool | None
    # for commands: time calls that fail like others, and count the exit statuses
    ignore_failure: bool | None
    # function without parameters that sets the library up, called once in each executor before all others: a name or a prototype; 'sodium_init >=
    # 0' also checks what it returns; several are separated by semicolons
    init: Text | None
    # total size of the argument sets in mode cold; 0: twice the last-level cache
    input_sets_minimum_size_mb: float | None
    # places in a flat binary for ttsim, which has no symbols that name them: "mailbox=0x20000 input0=0x10000:1024xi32 output0=0x11000:i32 load=0"
    l1: Text | None
    # measure each function in this many fresh executors; 1: the functions of an artifact share one; 0: as many as --precision needs, at least 5,
    # or 10 of each of several variants
    launches: int | None
    # stop measuring a function after this time, converged or not, but not before its least number of launches
    max_time: Time | None
    # memory that an executor may touch, shared memory and temporary files included (default: three quarters of what is free)
    memory: Size | None
    # measure at least this many calls
    min_iterations: int | None
    # measure at least this long, all launches together
    min_time: Time | None
    # warm: one argument set again and again; cold: shuffled sets beyond the last-level cache; flush: lines evicted before each call; serialized:
    # no overlap between calls; dispatch: single dispatches of IREE modules, without a runtime (warm, or as a second --mode says)
    mode: Literal["warm", "cold", "flush", "serialized", "dispatch"] | Sequence[Literal["warm", "cold", "flush", "serialized", "dispatch"]] | None
    # modules (.vmfb, .mlir) that IREE modules call, separated by commas, each before those that call it
    module: Text | None
    # replace the journal of -o if there is one
    overwrite: bool | None
    # [SCOPE=]PATH of .irpa, .gguf or .safetensors files with parameters of IREE modules, separated by commas
    parameter_files: Text | None
    # addresses of code and data: vary: others in each launch, so that intervals include their effect; fixed: always the same; malloc: arrays 16
    # bytes behind lines
    placement: Literal["vary", "fixed", "malloc"] | None
    # PJRT plugin that runs StableHLO: a path, tt (Tenstorrent's) or cpu (XLA's); ZONEMARK_PJRT_PLUGIN when left out
    plugin: Text | None
    # for commands: line that sh runs before each call, untimed
    prepare: Text | None
    # shared library with the same Halide pipelines, built with the target feature profile: it gives the times of single Funcs; zonemark makes
    # such a build of generators itself
    profile_build: Text | None
    # prototype of a C function with the shapes of its arrays, such as 'void scale(long n, float a, float x[n])'; several are separated by
    # semicolons; a prototype may also stand in place of a function's name
    prototype: Text | None
    # how IREE modules are run: auto, capi (C API), python (the wheels), dispatch (single dispatches without a runtime)
    provider: Text | None
    # interpreter or virtual environment that holds IREE's packages, instead of zonemark's own
    python: Text | None
    # no progress and no messages but errors
    quiet: bool | None
    # reorder random contents before each call; auto: if that changes its time
    reorder: Literal["auto", "always", "never"] | None
    # with --transfers included: this many leading inputs, such as weights, stay on the device
    resident_inputs: int | None
    # restore arguments that calls change before each call; auto: if that changes their time
    restore: Literal["auto", "always", "never"] | None
    # runtime of the artifacts, when their names do not tell: hat, iree, tt, ttsim, halide, c, command, python
    runtime: Text | None
    # auto: every layer that works here; require: fail when one is missing; off
    sandbox: Literal["auto", "require", "off"] | None
    # native code may use this device, or write this file or folder, or connect to this socket; repeatable. The device that an invocation asks for
    # needs no flag
    sandbox_allow: Text | Sequence[Text] | None
    # home of drivers and plugins, with their caches, which is kept; it is made if it is missing (default: an empty one for each run)
    sandbox_cache: Text | None
    # what the sandbox allows: plain: computing, threads, temporary files; device: also processes, sockets among them, shared memory and a home of
    # their own (default: device for plugins and devices other than the CPU)
    sandbox_profile: Text | None
    # native code may read this file or folder, too; repeatable. It can read the system's programs and libraries, its artifact's folder, its
    # runtime and its inputs, and nothing else
    sandbox_read: Text | Sequence[Text] | None
    # who schedules the pipelines of generators: none, manual, adams2019, mullapudi2016, li2018, anderson2021
    scheduler: Text | None
    # one parameter of the autoscheduler, such as beam_size=32; repeatable
    scheduler_param: Pairs | None
    # seed of random contents and of the order of measuring
    seed: int | None
    # for commands: line that sh runs once for each command, before its first call, untimed
    setup: Text | None
    # for commands: run the words of the command as a line of this shell; its time is part of the call's
    shell: bool | Text | None
    # Tenstorrent's simulator libttsim.so, which runs RISC-V programs; TT_METAL_SIMULATOR when left out
    simulator: Text | None
    # for Halide: what a generator needs beside its source, and the functions that its pipelines call; for C: another C or C++ source, object or
    # archive for the library; repeatable
    source: Text | Sequence[Text] | None
    # for commands: where their standard output goes: null: /dev/null, for which some programs do less work (default); pipe: a pipe that is read
    # to its end
    stdout: Literal["null", "pipe"] | None
    # Halide's text for the machine that generators build for: host, host-FEATURE, x86-64-linux-avx2
    target: Text | None
    # workers of the device local-task; threads of Halide pipelines (default: the CPUs of the process)
    task_threads: int | None
    # threads that an executor may have
    threads: int | None
    # kill an invocation that takes longer, preparation included, and a build
    timeout: Time | None
    # relative tolerance of outputs; 0: the default of the element type
    tolerance: Fraction | None
    # what a call to a PJRT plugin is: excluded (an execution, buffers stay on the device) or included (inputs pushed, results fetched)
    transfers: Text | None
    # print a line for each result as it comes, all columns, and counters
    verbose: bool | None
    # measure on another host, where this command runs a shell: 'ssh HOST', 'srun -u -N1 -w NODE'; repeatable: several hosts share the work
    via: Text | Sequence[Text] | None
    # make at least this many calls in each launch before timing; 0: until times are steady
    warmup: int | None
    # weights of the cost model of the autoschedulers adams2019 and anderson2021, instead of their own
    weights: Text | None


class Measure(Measuring, total=False):
    """Keywords of ``zonemark.measure``."""

    # keep the results in this file, with all that measuring them again needs; the file is replaced; "zonemark replay" takes it
    bundle: Text | None
    # call each function once and check its outputs; measure nothing
    check: bool | None
    # divide by the times that invocations took in the run of this journal, instead of by their limits of time; all parts need the same journal
    costs: Text | None
    # write a row for each dispatch of each traced call to this file, as CSV; a profiler has no single calls: its rows are medians
    dispatch_csv: Text | None
    # show this many rows of dispatches, and one row for all others; 0: all; in the order of the program, the default is all
    dispatch_limit: int | None
    # rows of the text report: program: each dispatch in the order of the program; time: the hottest names first; auto: by time if there are more
    # than 20
    dispatch_order: Literal["auto", "time", "program"] | None
    # where the times of dispatches come from: profile: the runtime's own profiler, in the executor (capi) or in a tool of IREE's; tracy: a
    # capture; auto: the profiler in the executor, else a capture, else the tool; off
    dispatches: Literal["auto", "profile", "tracy", "off"] | None
    # show what would be measured, and stop
    dry_run: bool | None
    # report on standard output: text, csv, ndjson, gbench, benchfmt, bmf
    format: Text | None
    # compare variants: functions with the same signature or, with a regular expression, with the same match (of its first parenthesis, if any)
    group: bool | Text | None
    # draw how the times are distributed, in format text
    histogram: bool | None
    # write a page (HTML) about the results to this file, which is replaced
    html: Text | None
    # stop when launches agree so well that a second run would differ by at most this fraction, with 95 % confidence; 0: never stop for that
    # reason
    precision: Fraction | None
    # drop variants of a group as soon as they cannot be the best, and measure the others precisely; off: measure all precisely; auto: on for
    # groups of 17 or more, unless --launches is given
    race: Literal["auto", "on", "off"] | None
    # continue the journal of -o: measure only what it does not hold, or what had failed
    resume: bool | None
    # the part to measure, from 0 to one less than --shards
    shard: int | None
    # divide what is measured into this many parts of nearly equal cost, each for a run of its own; groups stay whole; "zonemark merge" joins the
    # journals
    shards: int | None
    # with several hosts (--via), measure each function on all of them, and show how much the hosts differ; intervals then hold for any of these
    # hosts
    spread: bool | None
    # number of the best that a race looks for; turns races on
    top: int | None
    # keep the Tracy capture of the traced pass in this file
    trace_file: Text | None


class Run(Measure, total=False):
    """Flags of ``zonemark run``."""

    # what the next output must be: FILE.npy, a tensor such as 4x4xf32=0.5, or (ignored); repeatable
    expected_output: Content | Sequence[Content] | Mapping[str, Content] | None
    # measure only this function; a prototype 'void f(long n, float x[n])' tells how a C function is called; repeatable
    function: Text | Sequence[Text] | None
    # the next argument: 4x4xf32=0.5, 4xi32=1,2,3,4, 8xf32 (random), 4xf32=@FILE, FILE.npy, a number; ARG=CONTENTS, by its name or position:
    # random[:SEED], zeros, iota, a number, FILE.npy, FILE.png, @FILE; repeatable
    input: Content | Sequence[Content] | Mapping[str, Content] | None
    # NAME=VALUE[,VALUE…] for a runtime size or scalar; a list is swept; repeatable
    param: Pairs | None


class Compare(Measuring, total=False):
    """Flags of ``zonemark compare``."""

    # show all rows; without it, each verdict that is not worse has at most a page
    all: bool | None
    # chance that any row is called faster or slower if none is
    alpha: Fraction | None
    # what to measure, below the folder of each checkout; OLD and NEW are then folders, or commits of the repository here
    artifact: Text | None
    # find the commit between OLD and NEW that made --artifact slower
    bisect: bool | None
    # command of the shell that builds --artifact in each checkout
    build: Text | None
    # what the next output must be: FILE.npy, a tensor such as 4x4xf32=0.5, or (ignored); repeatable
    expected_output: Content | Sequence[Content] | Mapping[str, Content] | None
    # let --alpha limit the share of wrong rows among those that are called faster or slower (Benjamini and Hochberg); this finds more among many
    # rows
    fdr: bool | None
    # measure only this function; a prototype 'void f(long n, float x[n])' tells how a C function is called; repeatable
    function: Text | Sequence[Text] | None
    # write a page (HTML) about the comparison to this file, which is replaced
    html: Text | None
    # the next argument: 4x4xf32=0.5, 4xi32=1,2,3,4, 8xf32 (random), 4xf32=@FILE, FILE.npy, a number; ARG=CONTENTS, by its name or position:
    # random[:SEED], zeros, iota, a number, FILE.npy, FILE.png, @FILE; repeatable
    input: Content | Sequence[Content] | Mapping[str, Content] | None
    # relative difference that does not matter: a row is the same if its difference is certainly smaller
    margin: Fraction | None
    # measure OLD and NEW now, in launches that take turns, until each row is decided or twice --max-time is over
    measure: bool | None
    # exit with 0 if no row is slower, also if some that were measured before are missing or skipped now
    missing_ok: bool | None
    # write the journal of --measure to this file, or without --measure the report
    output: Text | None
    # NAME=VALUE[,VALUE…] for a runtime size or scalar; a list is swept; repeatable
    param: Pairs | None
    # exit with 0 if no row is slower, also if some are undecided
    undecided_ok: bool | None


class Statistics(TypedDict, total=False):
    """Flags of ``zonemark trace stats``."""

    # keep only zones whose name matches this regular expression
    filter: Text | None
    # show at most this many rows; 0: all (default 50 for text on a terminal, else all)
    limit: int | None
    # mean, median, p90, min, max and share of the time without the zones inside
    self_: bool | None
    # column to sort by, the greatest first
    sort: Literal["total", "self", "mean", "median", "p90", "max", "count", "name"] | None


class Zones(TypedDict, total=False):
    """Flags of ``zonemark trace zones``."""

    # only this many levels: 1 for zones that no other zone encloses, 2 for their children as well; 0: no limit
    depth: int | None
    # keep only zones whose name matches this regular expression
    filter: Text | None
    # only zones that end after this time, counted from the beginning of the capture
    from_: Time | None
    # show at most this many zones; 0: all (default 100 for text, else all)
    limit: int | None
    # only zones that last at least this long
    min_duration: Time | None
    # as stored; by start, the first first; by duration or self time, the longest first. Without --limit, sorting holds all selected zones in
    # memory
    sort: Literal["stored", "start", "duration", "self"] | None
    # only zones whose text matches this regular expression
    text: Text | None
    # only zones of the thread of this index or id, or of threads whose name matches this regular expression
    thread: Text | None
    # only zones that begin before this time; 0: no limit
    to: Time | None


class Dispatches(TypedDict, total=False):
    """Flags of ``zonemark trace dispatches``."""

    # name of the zones around invocations
    bracket: Text | None
    # show every iteration by itself
    iterations: bool | None
    # pattern of zones' names, with the groups invocation and dispatch; repeatable
    rule: Text | Sequence[Text] | None
    # take the rules of this suite (its key trace_rules) as well, after those of --rule
    suite: Text | None
    # number of first iterations of each invocation that medians leave out as warm-up; if an invocation has no others, they count
    warmup: int | None


#: What is done with the values of the keywords, by verb.
KINDS: dict[str, dict[str, str]] = {
    "compare": {
        "all": "switch",
        "alpha": "one",
        "artifact": "one",
        "bisect": "switch",
        "build": "one",
        "calls_per_batch": "one",
        "cc": "one",
        "cflags": "one",
        "chips": "one",
        "compile_cache": "one",
        "compile_flags": "one",
        "compile_option": "pairs",
        "compile_options_file": "one",
        "counters": "one",
        "cpu": "one",
        "cycle_limit": "one",
        "device": "one",
        "dim": "pairs",
        "env": "many",
        "expected_output": "contents",
        "fdr": "switch",
        "filter": "one",
        "function": "many",
        "generator": "one",
        "generator_param": "pairs",
        "header": "one",
        "html": "one",
        "huge_pages": "switch",
        "ignore_failure": "switch",
        "init": "one",
        "input": "contents",
        "input_sets_minimum_size_mb": "one",
        "l1": "one",
        "launches": "one",
        "margin": "one",
        "max_time": "time",
        "measure": "switch",
        "memory": "size",
        "min_iterations": "one",
        "min_time": "time",
        "missing_ok": "switch",
        "mode": "many",
        "module": "one",
        "output": "one",
        "overwrite": "switch",
        "param": "pairs",
        "parameter_files": "one",
        "placement": "one",
        "plugin": "one",
        "prepare": "one",
        "profile_build": "one",
        "prototype": "one",
        "provider": "one",
        "python": "one",
        "quiet": "switch",
        "reorder": "one",
        "resident_inputs": "one",
        "restore": "one",
        "runtime": "one",
        "sandbox": "one",
        "sandbox_allow": "many",
        "sandbox_cache": "one",
        "sandbox_profile": "one",
        "sandbox_read": "many",
        "scheduler": "one",
        "scheduler_param": "pairs",
        "seed": "one",
        "setup": "one",
        "shell": "optional",
        "simulator": "one",
        "source": "many",
        "stdout": "one",
        "target": "one",
        "task_threads": "one",
        "threads": "one",
        "timeout": "time",
        "tolerance": "one",
        "transfers": "one",
        "undecided_ok": "switch",
        "verbose": "switch",
        "via": "many",
        "warmup": "one",
        "weights": "one",
    },
    "run": {
        "bundle": "one",
        "calls_per_batch": "one",
        "cc": "one",
        "cflags": "one",
        "check": "switch",
        "chips": "one",
        "compile_cache": "one",
        "compile_flags": "one",
        "compile_option": "pairs",
        "compile_options_file": "one",
        "costs": "one",
        "counters": "one",
        "cpu": "one",
        "cycle_limit": "one",
        "device": "one",
        "dim": "pairs",
        "dispatch_csv": "one",
        "dispatch_limit": "one",
        "dispatch_order": "one",
        "dispatches": "one",
        "dry_run": "switch",
        "env": "many",
        "expected_output": "contents",
        "filter": "one",
        "format": "one",
        "function": "many",
        "generator": "one",
        "generator_param": "pairs",
        "group": "optional",
        "header": "one",
        "histogram": "switch",
        "html": "one",
        "huge_pages": "switch",
        "ignore_failure": "switch",
        "init": "one",
        "input": "contents",
        "input_sets_minimum_size_mb": "one",
        "l1": "one",
        "launches": "one",
        "max_time": "time",
        "memory": "size",
        "min_iterations": "one",
        "min_time": "time",
        "mode": "many",
        "module": "one",
        "overwrite": "switch",
        "param": "pairs",
        "parameter_files": "one",
        "placement": "one",
        "plugin": "one",
        "precision": "one",
        "prepare": "one",
        "profile_build": "one",
        "prototype": "one",
        "provider": "one",
        "python": "one",
        "quiet": "switch",
        "race": "one",
        "reorder": "one",
        "resident_inputs": "one",
        "restore": "one",
        "resume": "switch",
        "runtime": "one",
        "sandbox": "one",
        "sandbox_allow": "many",
        "sandbox_cache": "one",
        "sandbox_profile": "one",
        "sandbox_read": "many",
        "scheduler": "one",
        "scheduler_param": "pairs",
        "seed": "one",
        "setup": "one",
        "shard": "one",
        "shards": "one",
        "shell": "optional",
        "simulator": "one",
        "source": "many",
        "spread": "switch",
        "stdout": "one",
        "target": "one",
        "task_threads": "one",
        "threads": "one",
        "timeout": "time",
        "tolerance": "one",
        "top": "one",
        "trace_file": "one",
        "transfers": "one",
        "verbose": "switch",
        "via": "many",
        "warmup": "one",
        "weights": "one",
    },
    "trace dispatches": {
        "bracket": "one",
        "iterations": "switch",
        "rule": "many",
        "suite": "one",
        "warmup": "one",
    },
    "trace stats": {
        "filter": "one",
        "limit": "one",
        "self_": "switch",
        "sort": "one",
    },
    "trace zones": {
        "depth": "one",
        "filter": "one",
        "from_": "time",
        "limit": "one",
        "min_duration": "time",
        "sort": "one",
        "text": "one",
        "thread": "one",
        "to": "time",
    },
}

#: Likewise, of older spellings, which are taken silently.
FORMERLY: dict[str, dict[str, str]] = {
    "compare": {
        "compile_options": "one",
        "dims": "one",
        "generator_params": "one",
        "repetitions": "one",
        "scheduler_params": "one",
    },
    "run": {
        "compile_options": "one",
        "dims": "one",
        "generator_params": "one",
        "plot": "switch",
        "repetitions": "one",
        "report": "one",
        "scheduler_params": "one",
    },
    "trace dispatches": {
    },
    "trace stats": {
    },
    "trace zones": {
        "name": "one",
    },
}

#: The keywords of flags that have a letter, by verb.
LETTERS: dict[str, dict[str, str]] = {
    "compare": {"o": "output", "q": "quiet", "v": "verbose"},
    "run": {"c": "check", "d": "dispatch_csv", "q": "quiet", "t": "trace_file", "v": "verbose"},
    "trace dispatches": {},
    "trace stats": {"e": "self_"},
    "trace zones": {},
}
