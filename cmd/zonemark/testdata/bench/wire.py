"""The exchange of invocations/wire/pipe_test.go through multiprocessing.Pipe, between two processes.

Prints "results/s" (results of 1,000 timings, one way) and "rtt-ns" (median round trip of an invocation of three arguments and a
result of ten timings). The messages are dictionaries and lists of the same content.
"""

import multiprocessing
import sys
import time

SECONDS = 0.5  # of each of the two measurements


def argument(name, usage, fill, seed, *shape):
    return {
        "name": name, "element": "float32", "shape": list(shape), "strides": None, "offset": 0, "extent": "", "usage": usage,
        "by_value": False, "callee": False, "fill": fill, "seed": seed, "value": "", "path": "",
    }


def execute(function, round):
    return {
        "kind": 6, "id": "89abcdef01234567", "round": round, "last": False, "name": "matmul/384x512x128", "group": "matmul",
        "runtime": "iree", "function": function,
        "artifact": {
            "path": "/suites/mobilebert_fp16_llvm-cpu_x86_64_v4.vmfb",
            "sha256": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752", "built": "",
        },
        "arguments": [
            argument("lhs", "input", "random", 42, 1, 384, 512), argument("rhs", "input", "random", 43, 512, 128),
            argument("out", "output", "zeros", 0, 1, 384, 128),
        ],
        "parameters": {"suite": "op_model", "sweep": "matmul"},
        "measure": {
            "mode": "warm", "precision": 0.01, "min_time_ns": 100000000, "max_time_ns": 5000000000, "min_iterations": 10, "set_bytes": 0,
            "calls_per_batch": 0, "rounds": 5, "cpu": 2, "check_only": False, "seed": 1,
        },
        "limits": {"timeout_ns": 60000000000, "memory_bytes": 1 << 33}, "verify": {"reference": "", "tolerance": 0.0}, "trace": False,
    }


def samples(n):
    mask, x = (1 << 64) - 1, 88172645463325252
    out = []
    for _ in range(n):
        x ^= x << 13 & mask
        x ^= x >> 7
        x ^= x << 17 & mask
        out.append(123000 + (x % 20000000) / 1000)
    return out


def result(n):
    ns = samples(n)
    return {
        "kind": 8, "id": "89abcdef01234567", "round": 0, "rounds": 1, "status": "ok", "error": "", "crash": None, "verdicts": ["clean"], "notes": None,
        "mode": "warm", "stop": "precision", "iterations": n, "calls_per_batch": 1, "sets": 1, "set_bytes": 1245184, "warmup_calls": 10,
        "overhead_ns": 1.25, "clock": "tsc", "samples_ns": ns, "cpu_samples_ns": None, "discarded": {"switched": 0, "warmup": 0},
        "summary": {
            "n": n, "median_ns": 133000.1, "ci_low_ns": 132500.2, "ci_high_ns": 133500.3, "min_ns": min(ns), "p90_ns": 141000.4, "p99_ns": 142800.5,
            "mean_ns": sum(ns) / n, "mad_ns": 5000.6, "cpu_median_ns": 0.0,
        },
        "dispatches": None, "host_ns": 100.0, "gap_ns": 50.5, "trace_overhead_percent": 0.0, "layers": ["seccomp", "landlock"],
    }


def answer(connection):
    small, large = result(10), result(1000)
    while True:
        message = connection.recv()
        if message is None:
            return
        if message["function"] == "stream":
            for _ in range(message["round"]):
                connection.send(large)
        else:
            connection.send(small)


def results_per_second(connection):
    batch, done, start = 200, 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        connection.send(execute("stream", batch))
        for _ in range(batch):
            if len(connection.recv()["samples_ns"]) != 1000:
                sys.exit("a result without its timings")
        done += batch
        batch = max(batch, done)
    return done / (time.perf_counter() - start)


def round_trip_ns(connection):
    message, times, end = execute("echo", 0), [], time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter_ns()
        connection.send(message)
        if len(connection.recv()["samples_ns"]) != 10:
            sys.exit("a result without its timings")
        times.append(time.perf_counter_ns() - start)
    return sorted(times)[len(times) // 2]


def main():
    near, far = multiprocessing.Pipe()
    peer = multiprocessing.Process(target=answer, args=(far,))
    peer.start()
    print(f"{results_per_second(near):.0f} results/s")
    print(f"{round_trip_ns(near)} rtt-ns")
    near.send(None)
    peer.join()


if __name__ == "__main__":
    main()
