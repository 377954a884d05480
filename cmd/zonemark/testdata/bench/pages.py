"""Makes the journals of pages.sh, and takes pictures of its pages. It works in the present folder.

journals        makes journals with 1, 30 and 1,000 results of group.ndjson and sizes.ndjson, which were measured, one of
                failures and one of a call with dispatches, plausible peaks of home/peaks.json, and tables of as many ops
                of ops_perf_results.csv
pictures PAGES  takes pictures of the pages whose names match PAGES, and fails for those that are wider than their windows
"""

import base64
import copy
import csv
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

COUNTS = 1, 30, 1000
HIGHEST = 4000  # pixels of a picture
SECTIONS = 6  # of a long page, from its first one on, that have pictures of their own
TIMES = re.compile(
    "(median|ci_low|ci_high|min|p90|p99|mean|mad|cpu_median|raw_median|samples|cpu_samples|apart|launch_medians|launch_reference|"
    "within|between|reference|reference_ci_low|reference_ci_high)(_ns)?$")
FAILED = ("mismatch", "C[3, 17] is 4.25, and not 4"), ("crashed", "SIGSEGV in measuring"), ("timeout", "60 s are over")
VERDICTS = ["clean"], ["clean"], ["clean"], ["not-converged"], ["contended", "bimodal"], ["clean"]


def lines(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def write(path, header, records):
    by = {}
    for r in records:
        by[r["status"]] = by.get(r["status"], 0) + 1
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as f:
        for line in [header, *records, {"kind": "end", "results": len(records), "by_status": by}]:
            f.write(json.dumps(line) + "\n")


def scaled(record, factor, most=10_000):
    """The record with all its times multiplied, and at most so many samples."""
    out = copy.deepcopy(record)
    for key, value in out.items():
        if not TIMES.match(key):
            continue
        out[key] = [v * factor for v in value] if isinstance(value, list) else value * factor
    if len(out["samples_ns"]) > most:
        each = most // len(out["round_samples"])
        out["round_samples"] = [each] * len(out["round_samples"])
        for key in "samples_ns", "cpu_samples_ns":
            out[key] = out[key][:each * len(out["round_samples"])]
        for key in "apart_ns", "apart_after":
            out.pop(key, None)
    return out


def failed(record, status, error):
    kept = "kind", "id", "name", "runtime", "artifact", "artifact_sha256", "function", "params", "mode"
    return {k: record[k] for k in kept if k in record} | {"status": status, "error": error}


def records(count, group, sizes):
    """So many results: a group, sizes of a product, and long names, of which some failed."""
    chance = random.Random(count)
    warm = [r for r in sizes if r["mode"] == "warm"]
    if count == 1:
        return warm[:1]
    out = copy.deepcopy(group)
    for r in out:
        r["group"] = "product of 128×128, float32"
        r["flop"] = 2 * 128 ** 3
        r["flop_per_s"] = r["flop"] / r["median_ns"] * 1e9
    most = 10_000 if count <= 30 else 600
    for i in range(count - len(out)):
        m, n = 16 << i % 4, 8 << i // 4 % 5
        factor = m * n / 256 * chance.uniform(0.95, 1.05)
        r = scaled(warm[i % len(warm)], factor * 2000 / warm[i % len(warm)]["median_ns"], most)
        r["id"] = f"{i + 1:016x}"
        r["verdict"] = VERDICTS[i % len(VERDICTS)]
        if i < 16 or i % 2:
            r["name"], r["params"] = f"product {m}x{n}" + (f" take {i // 20}" if i >= 20 else ""), {"M": str(m), "N": str(n), "K": "64"}
            if i >= 20:
                r["params"]["take"] = str(i // 20)
            r["flop"] = 2 * m * n * 64
            r["flop_per_s"] = r["flop"] / r["median_ns"] * 1e9
        else:
            r["name"] = f"main_graph$async_dispatch_{i}_conv_2d_nchw_fchw_1x{m}x{n}x{n}x{m}x3x3_f32"
            r["function"], r["params"] = r["name"], {}
        if i % 11 == 9:
            r = failed(r, *FAILED[i // 11 % len(FAILED)])
        out.append(r)
    return out


def dispatched(record):
    """The record of a network with a long name, 24 dispatches, and two calls with their places in time."""
    out = copy.deepcopy(record)
    out["name"] = "encoder_of_a_vision_transformer_with_a_name_of_eighty_letters/batch=16/image=224"
    total, at = out["median_ns"], 0.0
    out |= {"dispatch_source": "tracy", "traced_ns": total, "host_ns": total * 0.02, "gap_ns": total * 0.03, "dispatches": []}
    placed = []
    for i in range(24):
        name = f"main_graph$async_dispatch_{i}_batch_matmul_{8 << i % 3}x128x{64 + i}x64_f32"
        ns = total * 0.95 * (i + 1) / 300
        out["dispatches"].append({"name": name, "ordinal": i, "count": 50, "median_ns": ns, "min_ns": ns * 0.9, "total_ns": ns * 50,
                                  "workgroups": 4 + i, "threads": 1})
        placed.append({"name": name, "start_ns": at, "wall_ns": ns})
        at += ns * 1.03
    out["traced_calls"] = [{"number": 3, "ns": total, "dispatches": placed}, {"number": 7, "ns": total * 1.1, "dispatches": placed}]
    return out


def tables():
    """Tables of a profiler with so many calls, of one that has fewer: its calls follow each other again and again."""
    with open("ops_perf_results.csv", newline="") as f:
        head, *rows = csv.reader(f)
    begin, end, first = head.index("DEVICE FW START CYCLE"), head.index("DEVICE FW END CYCLE"), head.index("GLOBAL CALL COUNT")
    span = int(rows[-1][end]) - int(rows[0][begin])
    for count in COUNTS:
        with open(f"ops_perf_results_{count}.csv", "w", newline="") as f:
            write_row = csv.writer(f).writerow
            write_row(head)
            for i in range(count):
                row = list(rows[i % len(rows)])
                row[first] = str(1024 * (i + 1))
                for column in begin, end:
                    row[column] = str(int(row[column]) + i // len(rows) * span)
                write_row(row)


def later(list_, night, chance):
    """The results of another night: some became faster or slower for good, and all vary."""
    out = []
    for i, r in enumerate(list_):
        if r["status"] != "ok":
            out.append(r)
            continue
        factor = chance.uniform(0.997, 1.003)
        if i % 7 == 0 and night >= 5:
            factor *= 1.12
        if i % 7 == 3 and night >= 8:
            factor *= 0.8
        out.append(scaled(r, factor, 60))
    return out


def journals():
    (header, *group, _), (_, *sizes, _) = lines("group.ndjson"), lines("sizes.ndjson")
    header["command"] = ["zonemark", "run", "suite.toml", "-o", "run.ndjson"]
    header["commit"] = "%040x" % random.Random(0).getrandbits(160)
    for count in COUNTS:
        run = records(count, group, sizes)
        write(f"run-{count}.ndjson", header, run)
        write(f"products-{count}.ndjson", header, [r for r in run if r["function"] == "product"])
        chance = random.Random(1)
        write(f"later-{count}.ndjson", header | {"started": "2026-11-30T03:00:00Z"}, later(run, 9, chance))
        for night in range(12):
            day = header | {"started": f"2026-11-{2 * night + 1:02d}T03:00:00Z", "commit": "%040x" % chance.getrandbits(160)}
            write(f"nights-{count}/{night:02d}.ndjson", day, later(run, night, chance))
    write("failed.ndjson", header, [failed(sizes[i], *FAILED[i]) for i in range(len(FAILED))])
    write("dispatches.ndjson", header, [dispatched(next(r for r in sizes if r["mode"] == "warm"))])
    tables()
    with open("home/peaks.json") as f:
        known = json.load(f)
    for peak in sum(known.values(), []):
        rate = {"float64": 120e9, "float32": 240e9, "bfloat16": 440e9, "int8": 900e9, "L1": 480e9, "L2": 200e9, "L3": 40e9,
                "memory": 15e9}.get(peak.get("level") or peak["what"], 1e9) * peak["cpus"] ** 0.9
        spread = 0.4 if peak.get("level") == "L3" else 0.01
        peak |= {"per_s": rate, "low_per_s": rate * (1 - spread), "high_per_s": rate * (1 + spread), "verdict": ["clean"]}
    with open("home/peaks.json", "w") as f:
        json.dump(known, f)


class Browser:
    """A Chromium without a window, which is told what to do over a pipe."""

    def __init__(self, folder):
        theirs, self.out = os.pipe()
        self.answers, other = os.pipe()
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
                   f"--user-data-dir={folder}"]
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{theirs} 4>&{other}', "sh", *command], pass_fds=(theirs, other), stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(other)
        self.lines, self.last, self.rest = os.fdopen(self.answers, "rb"), 0, b""

    def call(self, method, session=None, **params):
        self.last += 1
        command = {"id": self.last, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self.out, json.dumps(command).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                part = self.lines.read1(1 << 20)
                if not part:
                    raise RuntimeError("chromium has ended")
                self.rest += part
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def picture(self, page, path, width, dark):
        """Takes pictures of the top of a page and, if that is not all of it, of its first sections and its end; returns what
        is wider than the window."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

        def size(height):
            self.call("Emulation.setDeviceMetricsOverride", session, width=width, height=height, deviceScaleFactor=1, mobile=False)

        def value(expression):
            result = self.call("Runtime.evaluate", session, awaitPromise=True, returnByValue=True, expression=expression)
            return result["result"]["value"]

        size(1800)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", session, features=[scheme])
        self.call("Page.navigate", session, url="file://" + os.path.abspath(page))
        value("""new Promise((done) => { const loaded = () => setTimeout(done, 0, true);
            if (document.readyState === "complete") loaded(); else addEventListener("load", loaded); })""")
        height = max(value("document.body.scrollHeight") + 40, 300)
        size(min(height, HIGHEST))
        wide = value("""(() => {
            const outside = (e) => !e.closest(".wide, svg") && e.getBoundingClientRect().right > innerWidth + 1;
            return document.documentElement.scrollWidth <= innerWidth ? "" :
                [...document.querySelectorAll("body *")].filter(outside).map((e) => e.outerHTML.slice(0, 120)).join("\\n");
        })()""")
        tops = value("[...document.querySelectorAll('h2')].map((e) => e.getBoundingClientRect().top)")
        places = [0]
        for top in [*tops[:SECTIONS], height - HIGHEST]:
            if top > places[-1] + HIGHEST / 2 or top == height - HIGHEST > 0:
                places.append(top)
        for number, place in enumerate(places):
            value(f"scrollTo(0, {place})")
            shown = self.call("Page.captureScreenshot", session, format="png")
            with open(path + (f"-{number}" if number else "") + ".png", "wb") as f:
                f.write(base64.b64decode(shown["data"]))
        self.call("Target.closeTarget", targetId=target)
        return wide


def pictures(pages):
    os.makedirs("pictures", exist_ok=True)
    wide = False
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        for page in sorted(glob.glob("pages/*.html")):
            name = os.path.basename(page).removesuffix(".html")
            if not re.search(pages, name):
                continue
            for width in 1280, 400:
                for dark in False, True:
                    found = browser.picture(page, f"pictures/{name}-{width}-{'dark' if dark else 'light'}", width, dark)
                    if found:
                        wide = True
                        print(f"{page} is wider than {width} pixels:\n{found}")
        browser.call("Browser.close")
        browser.process.wait()
    sys.exit(1 if wide else 0)


if __name__ == "__main__":
    {"journals": journals, "pictures": pictures}[sys.argv[1]](*sys.argv[2:])
