"""The lines of a journal as plain records.

Fields are named as the keys of the journal. Times are in nanoseconds per call, sizes in bytes. What does not apply to a result is None or empty,
never zero; keys that this version does not know are kept in ``extra``.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, TypeVar

from zonemark import display

if TYPE_CHECKING:
    from zonemark.picture import Picture

T = TypeVar("T")
Parameter: TypeAlias = bool | int | float | str


@dataclass
class Dispatch:
    """One part of an invocation that the runtime issued on its own, summed over its workgroups."""

    name: str
    ordinal: int = 0  #: position in the invocation
    count: int = 0  #: occurrences that the times are of
    median_ns: float | None = None
    min_ns: float | None = None
    total_ns: float | None = None
    workgroups: int | None = None
    threads: int | None = None
    source_file: str | None = None
    source_line: int | None = None
    flop_derived: float | None = None  #: of one occurrence, derived from the name
    flop_per_s_derived: float | None = None
    allocations: float | None = None  #: on the heap, of one occurrence
    peak_bytes: int | None = None  #: most bytes that these held at once
    stack_bytes: int | None = None  #: most bytes of stack of a thread
    p10_ns: float | None = None  #: a tenth of the occurrences does not reach it
    p90_ns: float | None = None  #: nine of ten do not exceed it
    node: str | None = None  #: of the ONNX model of which the compiler made it
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class SimulatedZone:
    """A stretch of the work of a simulated core that its program has marked, in cycles from the begin of the call's first core."""

    name: str
    begin_cycle: int = 0
    end_cycle: int = 0
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class SimulatedCore:
    """What a core of a simulated chip did in one call, in cycles from the begin of the call's first core. Cycles are no times."""

    core: str  #: "BRISC", "NCRISC", "TRISC0", "TRISC1" or "TRISC2"
    program: str = ""
    chip: int = 0
    column: int = 0  #: of the tile
    row: int = 0  #: of the tile
    begin_cycle: int = 0
    end_cycle: int = 0
    zones: list[SimulatedZone] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class Argument:
    """One argument of the measured function."""

    element: str  #: element type, such as "float32"
    usage: str = ""
    name: str | None = None
    shape: list[int] = field(default_factory=list)  #: in elements
    strides: list[int] = field(default_factory=list)  #: in elements
    offset: int | None = None
    extent: str | None = None
    by_value: bool = False
    callee: bool = False
    contents: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class Crash:
    """How native code ended its process."""

    signal: str | None = None
    exit_code: int | None = None  #: None when a signal ended it
    phase: str | None = None  #: what it was doing: "prepare", "reference", "verify", "measure"
    stderr: list[str] = field(default_factory=list)  #: its last lines
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class Dropped:
    """Why a race of a group has measured a variant in few launches only."""

    launches: int  #: that were made of it
    best: str  #: the name of the variant that was the best when it was dropped
    ratio: float  #: its time divided by that of the best one, launch by launch
    low: float  #: begins the interval of the ratio that dropped it; all of it is above 1, unless it was only left out
    high: float  #: ends that interval
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class HostTimes:
    """What one of several hosts has measured that have each measured the invocation."""

    host: str  #: its name
    machine: str = ""  #: identifies it
    status: str = "ok"
    error: str | None = None
    verdict: list[str] = field(default_factory=list)
    launches: int | None = None
    median_ns: float | None = None
    ci_low_ns: float | None = None  #: for a second run on this host
    ci_high_ns: float | None = None
    between_ns: float | None = None  #: standard deviation of its launches beyond the error of each
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(repr=False)
class Result:
    """What became of one invocation."""

    id: str
    status: str  #: "ok", "mismatch", "failed", "crashed", "timeout", "out-of-memory" or "skipped"
    name: str = ""
    group: str | None = None
    runtime: str = ""
    artifact: str = ""
    artifact_sha256: str | None = None
    options: dict[str, str] = field(default_factory=dict)  #: of the artifact, by the runtime's keys
    function: str = ""
    params: dict[str, Parameter] = field(default_factory=dict)
    arguments: list[Argument] = field(default_factory=list)
    error: str | None = None
    crash: Crash | None = None
    verdict: list[str] = field(default_factory=list)  #: how far to trust the times: "clean", "contended", …
    notes: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)  #: of the loaded artifact and of what ran it, by the runtime's keys

    mode: str = ""  #: "warm", "cold", "flush" or "serialized"
    stop: str | None = None  #: why measuring ended
    rounds: int | None = None
    spent_ns: float | None = None  #: wall time of all launches with their preparation; no time of a call
    iterations: int | None = None  #: timed calls
    calls_per_batch: int | None = None
    sets: int | None = None  #: argument sets cycled through
    set_bytes: int | None = None  #: their total size
    warmup_calls: int | None = None
    restored: bool = False  #: the arguments that calls change were restored before each call
    reordered: bool = False  #: random contents were put into another order before each call
    clock: str | None = None
    median_ns: float | None = None  #: net, as all times but raw_median_ns and those of the CPU
    ci_low_ns: float | None = None  #: 95 % confidence interval of the median; between launches, where there are some
    ci_high_ns: float | None = None
    min_ns: float | None = None
    p90_ns: float | None = None
    p99_ns: float | None = None
    mean_ns: float | None = None
    mad_ns: float | None = None  #: median absolute deviation
    cpu_median_ns: float | None = None
    raw_median_ns: float | None = None  #: what the clock showed: median_ns + overhead_ns
    overhead_ns: float | None = None
    discarded: int | None = None  #: batches set apart because they were disturbed or interrupted
    discarded_warmup: int | None = None
    flop: float | None = None  #: of a call, as the suite gives it, else by the runtime's own analysis
    bytes: float | None = None  #: likewise
    flop_per_s: float | None = None
    bytes_per_s: float | None = None

    samples_ns: list[float] = field(default_factory=list)  #: one for each batch, launch after launch or round after round
    round_ns: list[float] = field(default_factory=list)  #: wall time of each round, where the number of its calls was fixed
    round_samples: list[int] = field(default_factory=list)  #: how many of samples_ns each launch or round gave
    round_iterations: list[int] = field(default_factory=list)  #: timed calls of each, if they are not those of its samples
    cpu_samples_ns: list[float] = field(default_factory=list)  #: thread CPU time, gross

    layers: list[str] = field(default_factory=list)  #: of the sandbox
    sandbox_profile: str | None = None  #: "plain" or "device"
    sandbox_allowed: list[str] = field(default_factory=list)  #: of the machine, that the sandbox let it write
    dispatches: list[Dispatch] = field(default_factory=list)
    dispatch_source: str | None = None  #: "profile" or "tracy"
    traced_ns: float | None = None  #: median wall time of a call under the profiler or tracer
    host_ns: float | None = None  #: of a traced call, outside its dispatches and the gaps between them
    gap_ns: float | None = None  #: of a traced call, between its dispatches
    unexplained_ns: float | None = None
    dispatch_calls: int | None = None  #: made under the profiler or tracer
    dispatch_quiet_share: float | None = None  #: part of these calls during which no thread lost its CPU
    dispatch_contended: bool = False  #: threads waited for CPUs that other work had, while the dispatches were timed
    device_ns: float | None = None  #: of a profiled call, from its first dispatch on a device to the end of its last, by the device's clock
    trace_overhead_ns: float | None = None
    trace_overhead_percent: float | None = None
    simulated_cycles: int | None = None  #: device cycles of a call by a simulator's counter; no time
    simulated_cores: list[SimulatedCore] = field(default_factory=list)  #: of one of the calls
    hexagon_packets: int | None = None  #: of a call, by an emulator of Hexagon; packets are no cycles
    hexagon_instructions: int | None = None  #: of a call, by an emulator of Hexagon
    hexagon_hvx_instructions: int | None = None  #: of these, instructions for the vector unit
    command: list[str] = field(default_factory=list)  #: program and arguments of a whole command; empty for a function
    model: str = ""  #: whose program was measured, with its configuration and parameters; empty for anything else
    replaces: str = ""  #: id of an earlier, failed result that does not count any more
    place: int | None = None  #: position in the order of the suite, from 0; None in journals of earlier versions
    host: str | None = None  #: name of the host that measured it, if it was not the machine of the driver
    machine: str | None = None  #: identifies that host; behind its name, what is equal for hosts that may be compared
    hosts: list[HostTimes] = field(default_factory=list)  #: that each measured it; intervals hold for any of them
    between_hosts_ns: float | None = None  #: standard deviation of these hosts beyond that of launches
    dropped: Dropped | None = None  #: that a race of its group has dropped it
    apart_ns: list[float] = field(default_factory=list)  #: batches that were set apart, without overhead
    apart_after: list[int] = field(default_factory=list)  #: kept batches before each of apart_ns
    traced_calls: list[dict[str, Any]] = field(default_factory=list)  #: a call of median length and the longest, of a capture

    launches: int | None = None  #: fresh processes that measured it and kept samples
    launch_numbers: list[int] = field(default_factory=list)  #: which launches were kept, from 0; empty where none before them was set apart
    launch_medians_ns: list[float] = field(default_factory=list)  #: of each launch
    launch_reference_ns: list[float] = field(default_factory=list)  #: the same at the reference clock
    launch_cycles: list[float] = field(default_factory=list)  #: counted cycles of each launch
    all_launches: dict[str, list[float]] = field(default_factory=dict)  #: launch_numbers, launch_medians_ns, … of all, if some were set apart
    placement: str | None = None  #: "fixed" where one layout was asked for; None where each launch had its own
    array_offsets: dict[str, list[int]] = field(default_factory=dict)  #: where arrays began in each launch, modulo 4096
    unevenness: float | None = None  #: mean time of calls as a multiple of the usual ones; medians of launches are means then
    within_ns: float | None = None  #: standard error of a launch's median
    between_ns: float | None = None  #: standard deviation of launches beside that
    quiet_share: float | None = None  #: of the batches, 0 to 1
    probed_batches: int | None = None  #: number of these batches
    disturbed: dict[str, int] = field(default_factory=dict)  #: number of those that were not quiet, by cause: "core", "caches", …
    clock_ghz: float | None = None  #: effective clock of the core
    own_clock: float | None = None  #: the clock during the calls, as a multiple of that of scalar code
    stops: float | None = None  #: by how much the host's stops of this machine lengthen batches, as a fraction
    reference_ns: float | None = None  #: median at the reference clock
    reference_ci_low_ns: float | None = None
    reference_ci_high_ns: float | None = None
    reference_floor: float | None = None  #: how much equal runs differ on this machine, as a fraction; not in the interval
    reference_clock_ghz: float | None = None  #: the machine's usual clock
    cycles_ci_low: float | None = None
    cycles_ci_high: float | None = None
    cycles_floor: float | None = None  #: the same of counted cycles
    counters: dict[str, float] = field(default_factory=dict)  #: of the processor and the system, per call, by their names
    exact: list[str] = field(default_factory=list)  #: names of counters that were equal in all launches
    first_call_ns: float | None = None  #: CPU time of the first call of a launch, where later ones take less than half of it
    reads_clock: bool = False  #: a call has read the processor's clock: it may wait until a time of day
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether it was carried out as it should be; skipped ones were not."""
        return self.status == "ok"

    def __repr__(self) -> str:
        """One line with the name, the status and the time."""
        return display.result_line(self)

    def _repr_html_(self) -> str:
        return display.result_table(self)

    def plot(self) -> Picture:
        """A picture of the dispatches of a call; without dispatches, of how the samples are distributed.

        Raises Error if the result has no times.
        """
        from zonemark import picture

        return picture.of_result(self)


@dataclass
class Shard:
    """A part of a plan, of which other runs measure the other parts."""

    index: int = 0  #: number of the part, from 0
    count: int = 0  #: number of parts
    invocations: int = 0  #: in the part
    of: int = 0  #: invocations in the plan
    plan: str = ""  #: hash of the plan's ids
    division: str = ""  #: hash of the numbers of the parts that they are in
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class Header:
    """Says about a run who made it where; the first line of a journal, and one for each time that it was continued."""

    version: int  #: of the journal's lines
    zonemark: str = ""  #: version of the binary
    started: str = ""  #: RFC 3339
    environment: dict[str, str] = field(default_factory=dict)  #: of the machine that measured
    command: list[str] = field(default_factory=list)
    commit: str = ""  #: of Git in the working directory
    shard: Shard | None = None  #: the part of a plan that was measured; None: all of it
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class End:
    """Counts the result lines of a journal, as its last line."""

    results: int
    by_status: dict[str, int] = field(default_factory=dict)
    partial_trace: int = 0  #: results whose capture is incomplete
    extra: dict[str, Any] = field(default_factory=dict)


class Commons:
    """What the results of a journal have in common: lines of their own, to which results refer by number."""

    def __init__(self) -> None:
        """Begins without any."""
        self._lines: dict[int, dict[str, Any]] = {}

    def add(self, values: dict[str, Any]) -> None:
        """Takes the keys of such a line. Raises ValueError without a number."""
        number = values.pop("common", None)
        if type(number) is not int or number < 1:
            raise ValueError(f"number {number!r} of what is in common, want at least 1")
        self._lines[number] = values

    def whole(self, values: dict[str, Any]) -> dict[str, Any]:
        """All keys of a result: its own, those of the line that it refers to, and those that follow from others."""
        number = values.pop("common", 0)
        if number == 0:
            return values
        if type(number) is not int or number not in self._lines:
            raise ValueError(f'no line of kind "common" before it has the number {number!r}')
        common = self._lines[number]
        whole = common | values
        if isinstance(zeros := common.get("counters"), dict) and isinstance(own := values.get("counters"), dict):
            whole["counters"] = zeros | own
        return _with_disturbance(_with_summary(whole))


def _rounded(value: float) -> float:
    """The value with nine significant digits, as the binary rounds it."""
    if not math.isfinite(value) or value == math.trunc(value):
        return value
    places = 8 - math.floor(math.log10(abs(value)))
    if not 0 <= places <= 22:
        return value
    scale = 10.0**places
    return math.copysign(math.floor(abs(value) * scale + 0.5) / scale, value)


MOST_FOLLOWING = 16  #: the greatest number of samples whose figures a line leaves out


def _quantile(ordered: list[float], q: float) -> float:
    """The quantile of sorted numbers, as the binary interpolates it."""
    h = q * (len(ordered) - 1)
    i = int(h)
    if i + 1 >= len(ordered):
        return ordered[-1]
    return ordered[i] + (h - i) * (ordered[i + 1] - ordered[i])


def _mean(ordered: list[float]) -> float:
    """The mean of sorted numbers, added up one after the other as the binary does, which sum() does not."""
    total = 0.0
    for value in ordered:
        total += value
    return total / len(ordered)


def _numbers(values: Any) -> TypeGuard[list[float]]:
    """Whether it is a list of few numbers."""
    return isinstance(values, list) and 0 < len(values) <= MOST_FOLLOWING and set(map(type, values)) <= {float, int}


def _with_summary(values: dict[str, Any]) -> dict[str, Any]:
    """Adds what follows from the few samples of a result with one launch."""
    samples, launches = values.get("samples_ns"), values.get("launches")
    median, overhead = values.get("median_ns"), values.get("overhead_ns")
    if not _numbers(samples) or median is None or launches not in (None, 1):
        return values
    ordered = sorted(samples)
    middle = _quantile(ordered, 0.5)
    deviations = sorted(abs(one - middle) for one in ordered)
    follows: dict[str, Any] = {
        "min_ns": ordered[0],
        "p90_ns": _rounded(_quantile(ordered, 0.9)),
        "p99_ns": _rounded(_quantile(ordered, 0.99)),
        "mean_ns": _rounded(_mean(ordered)),
        "mad_ns": _rounded(_quantile(deviations, 0.5)),
    }
    if type(median) in (int, float) and type(overhead) in (int, float):
        follows["raw_median_ns"] = _rounded(float(median + overhead))
    if _numbers(cpu := values.get("cpu_samples_ns")):
        follows["cpu_median_ns"] = _rounded(_quantile(sorted(cpu), 0.5))
    if type(calls := values.get("calls_per_batch")) is int:
        follows["iterations"] = calls * len(samples)
    if launches == 1:
        follows |= {"between_ns": 0, "launch_medians_ns": [median], "round_samples": [len(samples)]}
        if len(samples) == 1:
            follows |= {"within_ns": 0, "launch_medians_ns": samples}
        if (reference := values.get("reference_ns")) is not None:
            follows["launch_reference_ns"] = [reference]
    return follows | values


CAUSES = {
    "core": "the core was shared in",
    "caches": "caches or memory in",
    "clock": "its clock changed in",
    "interrupted": "other work took the CPU in",
}  #: of disturbed batches, in words


def _with_disturbance(values: dict[str, Any]) -> dict[str, Any]:
    """Adds what follows from the numbers of disturbed batches: the share of quiet ones, and the note on the others."""
    batches, disturbed = values.get("probed_batches"), values.get("disturbed", {})
    if type(batches) is not int or batches <= 0 or not isinstance(disturbed, dict):
        return values
    if not all(type(n) is int for n in disturbed.values()):
        return values
    quiet = batches - sum(disturbed.get(cause, 0) for cause in CAUSES)
    values = {"quiet_share": _rounded(quiet / batches)} | values
    notes, verdicts = values.get("notes", []), values.get("verdict")
    if not disturbed or not isinstance(notes, list) or not isinstance(verdicts, list) or "contended" not in verdicts:
        return values
    causes = [f"{text} {n}" for cause, text in CAUSES.items() if (n := disturbed.get(cause, 0)) > 0]
    note = f"{quiet} of {batches} batches were quiet"
    if causes:
        note += "; of the others, " + ", ".join(causes)
    return values if note in notes else values | {"notes": [*notes, note]}


def decode(record: Callable[..., T], values: Any) -> T:
    """Makes a record of these classes from a JSON object. Raises ValueError that names the key where a value has the wrong type."""
    if not isinstance(values, dict):
        raise ValueError(f"want an object, not {_kind(values)}")
    converters, required = _plan(record)
    known: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for key, value in values.items():
        if key not in converters:
            extra[key] = value
        elif value is not None:  # null is as good as absent
            try:
                known[key] = converters[key](value)
            except (ValueError, OverflowError) as error:
                raise ValueError(f"{key}: {error}") from None
    for key in required:
        if key not in known:
            raise ValueError(f"has no {key}")
    return record(**known, extra=extra)


Converter: TypeAlias = Callable[[Any], Any]


@functools.cache
def _plan(record: Any) -> tuple[dict[str, Converter], tuple[str, ...]]:
    """What converts the values of the keys of a record, and the keys that it must have."""
    hints = typing.get_type_hints(record)
    del hints["extra"]
    nothing = dataclasses.MISSING
    required = tuple(f.name for f in dataclasses.fields(record) if f.default is nothing and f.default_factory is nothing)
    return {key: _converter(hint) for key, hint in hints.items()}, required


@functools.cache
def _converter(hint: Any) -> Converter:
    """What makes a value of the type of a field of one of JSON. Raises ValueError for values of other types."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return lambda value: value
    if hint is float:
        return _number
    if hint is int:
        return _integer
    if hint == list[float]:  # samples: there are many
        return _samples
    if hint == dict[str, Parameter]:
        return lambda value: {key: parameter(_checked(item, str)) for key, item in _checked(value, dict).items()}
    if origin is types.UnionType:  # with None
        return _converter(inner[0])
    if dataclasses.is_dataclass(hint):
        return functools.partial(decode, typing.cast(Any, hint))
    if origin is list:
        item = _converter(inner[0])
        return lambda value: [item(one) for one in _checked(value, list)]
    if origin is dict:
        item = _converter(inner[1])
        return lambda value: {key: item(one) for key, one in _checked(value, dict).items()}
    return lambda value: _checked(value, hint)


def _checked(value: Any, kind: type) -> Any:
    if type(value) is kind:
        return value
    raise ValueError(f"want {kind.__name__}, not {_kind(value)}")


def _number(value: Any) -> float:
    """JSON writes whole floating-point numbers without a point."""
    if type(value) is not float and type(value) is not int:
        _checked(value, float)
    if not math.isfinite(number := float(value)):
        raise ValueError("is too large")
    return number


def _integer(value: Any) -> int:
    if not -(2**63) <= _checked(value, int) < 2**63:
        raise ValueError("does not fit 64 bits")
    return int(value)


def _samples(value: Any) -> list[float]:
    if not set(map(type, _checked(value, list))) <= {float, int}:
        return [_number(one) for one in value]
    numbers = list(map(float, value))
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a number is too large")
    return numbers


def parameter(text: str) -> Parameter:
    """The boolean or number that a text stands for, if it is written as those usually are; else the text."""
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", text):
        return int(text)
    if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?", text) and math.isfinite(number := float(text)):
        if "e" in text or str(number) == text:  # a text such as 1.10 may be a version
            return number
    return text


def _kind(value: Any) -> str:
    return "null" if value is None else type(value).__name__
