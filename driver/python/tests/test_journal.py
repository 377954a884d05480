import random

import zonemark

from fake import FolderTest, end, header, line, result

WHOLE = header() + result("a", samples_ns=[1, 2.5], dispatches=[{"name": "d", "ordinal": 0, "count": 3, "median_ns": 7}]) + end(ok=1)


class LoadTest(FolderTest):
    def load(self, text):
        return zonemark.load(self.write("j.ndjson", text))

    def refused(self, text, *parts):
        with self.assertRaises(zonemark.Error) as caught:
            self.load(text)
        for part in ("j.ndjson", *parts):
            self.assertIn(part, str(caught.exception))

    def test_whole(self):
        run = self.load(WHOLE)
        self.assertTrue(run.complete and run.ok, run.why)
        self.assertEqual(run.header.environment, {"os": "linux"})
        self.assertEqual(run.results[0].samples_ns, [1.0, 2.5])
        self.assertEqual(run.results[0].dispatches, [zonemark.Dispatch("d", 0, 3, 7.0)])
        self.assertIsNone(run.results[0].median_ns)
        self.assertEqual(run.end, zonemark.End(1, {"ok": 1}))

    def test_launches(self):
        values = {
            "launches": 2,
            "launch_medians_ns": [1, 2.5],
            "launch_reference_ns": [1.1, 2.6],
            "launch_cycles": [4, 9],
            "within_ns": 0.1,
            "between_ns": 0,
            "quiet_share": 0.98,
            "clock_ghz": 3.31,
            "reference_ns": 1.8,
            "reference_ci_low_ns": 1.1,
            "reference_ci_high_ns": 2.6,
            "reference_clock_ghz": 3.6,
            "cycles_ci_low": 4,
            "cycles_ci_high": 9,
            "counters": {"instructions": 12, "r01c2": 0.5},
            "exact": ["instructions"],
        }
        got = self.load(header() + result("a", **values) + end(ok=1)).results[0]
        self.assertEqual(got.extra, {})
        self.assertEqual({name: getattr(got, name) for name in values}, values)
        self.assertIs(type(got.counters["instructions"]), float)
        self.refused(header() + result(counters={"cycles": "many"}) + end(ok=1), "counters: want float, not str")

    def test_common(self):
        common = line("common", common=1, artifact="a.hat", runtime="hat", mode="warm", layers=["seccomp"], sets=1)
        sample = {"median_ns": 2, "overhead_ns": 0.25, "samples_ns": [2.5], "cpu_samples_ns": [3], "reference_ns": 4}
        later = line("common", common=1, artifact="b.hat")
        results = [result("a", launches=1, common=1, **sample), result("b", common=1, mode="cold"), later + result("c", common=1), result("d")]
        a, b, c, d = self.load(header() + common + "".join(results) + end(ok=4)).results
        want = {
            "artifact": "a.hat",
            "layers": ["seccomp"],
            "min_ns": 2.5,
            "mean_ns": 2.5,
            "mad_ns": 0.0,
            "raw_median_ns": 2.25,
            "cpu_median_ns": 3.0,
            "launch_medians_ns": [2.5],
            "launch_reference_ns": [4.0],
            "round_samples": [1],
            "between_ns": 0.0,
        }
        self.assertEqual({name: getattr(a, name) for name in want}, want)
        self.assertEqual((b.artifact, b.mode, b.min_ns, b.extra), ("a.hat", "cold", None, {}))
        self.assertEqual((c.artifact, c.layers, d.artifact), ("b.hat", [], ""))
        for bad in (result("a", common=2), result("a", common="1"), line("common"), line("common", common=0)):
            self.refused(header() + common + bad + end(), "line 3")

    def test_follows(self):
        common = line("common", common=1, notes=["every batch"], counters={"page_faults": 0, "context_switches": 0}, stop="launches")
        values = {
            "median_ns": 2.5,
            "overhead_ns": 0.25,
            "samples_ns": [4.5, 1, 3, 2],
            "cpu_samples_ns": [3, 5, 1, 7],
            "calls_per_batch": 10,
            "counters": {"context_switches": 0.5},
            "verdict": ["contended"],
            "probed_batches": 4,
            "disturbed": {"interrupted": 2, "core": 1},
            "within_ns": 0.125,
        }
        got = self.load(header() + common + result("a", launches=1, common=1, **values) + end(ok=1)).results[0]
        want = {
            "min_ns": 1.0,
            "p90_ns": 4.05,
            "p99_ns": 4.455,
            "mean_ns": 2.625,
            "mad_ns": 1.0,
            "cpu_median_ns": 4.0,
            "iterations": 40,
            "round_samples": [4],
            "launch_medians_ns": [2.5],
            "within_ns": 0.125,
            "between_ns": 0.0,
            "stop": "launches",
            "quiet_share": 0.25,
            "counters": {"page_faults": 0.0, "context_switches": 0.5},
            "notes": ["every batch", "1 of 4 batches were quiet; of the others, the core was shared in 1, other work took the CPU in 2"],
        }
        self.assertEqual({name: getattr(got, name) for name in want}, want)
        many = result("a", launches=1, common=1, median_ns=1, samples_ns=[1] * 17)
        self.assertIsNone(self.load(header() + common + many + end(ok=1)).results[0].min_ns)
        odd = result("a", common=1, verdict=["contended"], probed_batches=1, disturbed={"core": "x"})
        self.refused(header() + common + odd + end(ok=1), "disturbed")

    def test_unknown_keys_are_kept(self):
        run = self.load(header() + result("a", later={"x": 1}, dispatches=[{"name": "d", "queue": 2}], crash={"core": "c"}))
        self.assertEqual(run.results[0].extra, {"later": {"x": 1}})
        self.assertEqual(run.results[0].dispatches[0].extra, {"queue": 2})
        self.assertEqual(run.results[0].crash.extra, {"core": "c"})

    def test_cut_at_every_byte(self):
        data = WHOLE.encode()
        for length in range(len(data)):
            path = self.folder / "cut"
            path.write_bytes(data[:length])
            run = zonemark.load(path)
            self.assertFalse(run.complete, length)
            self.assertTrue(run.why)
            self.assertEqual(len(run.results), data[:length].count(b"\n") > 1, length)

    def test_damage_is_an_error_or_told_from_the_whole(self):
        random_bytes = random.Random(1)
        data = WHOLE.encode()
        path = self.folder / "damaged"
        for _ in range(1000):
            damaged = bytearray(data)
            for _ in range(random_bytes.randint(1, 4)):
                damaged[random_bytes.randrange(len(damaged))] = random_bytes.choice(b'\n{}[]":,0e9\\\x00\xff\xed')
            path.write_bytes(damaged)
            try:
                zonemark.load(path)
            except zonemark.Error as error:
                self.assertIn("line ", str(error))

    def test_resumed(self):
        run = self.load(header() + result("a", "timeout") + result("b") + header(kind="resume") + result("a") + end(timeout=1, ok=2))
        self.assertTrue(run.complete and run.ok, run.why)
        self.assertEqual([(r.name, r.status) for r in run.results], [("a", "ok"), ("b", "ok")])
        self.assertEqual(len(run.resumes), 1)

    def test_incomplete(self):
        for text, why in (
            ("", "no header"),
            (header() + result(), "no end line"),
            (header() + result() + end(ok=2), "counts 2"),
            (header() + result() + end(failed=1), "by status"),
            (header() + end() + result(), "no end line"),
            (header() + result() + '{"kind":"result"}\n', "garbled"),
            (header() + result() + '{"kind":"resul', "torn"),
        ):
            run = self.load(text)
            self.assertFalse(run.complete or run.ok)
            self.assertIn(why, run.why)

    def test_refused(self):
        self.refused("a,b\n1,2\n", "line 1", "not a zonemark journal")
        self.refused("a,b", "line 1", "not a zonemark journal")
        self.refused(result(), "line 1", "not a zonemark journal")
        self.refused(header() + "{\n" + result(), "line 2", f"byte {len(header())}", "garbled")
        self.refused(header() + result(median_ns="1") + result(), "line 2", "median_ns: want float, not str")
        self.refused(header() + result(dispatches=[{"name": 1}]) + result(), "dispatches: name: want str, not int")
        self.refused(header() + result(iterations=2**70) + result(), "iterations", "64 bits")
        self.refused(header() + result(samples_ns=[1, "2"]) + result(), "samples_ns: want float, not str")
        self.refused(header() + '{"kind":"result","id":"a","status":"ok","samples_ns":[1,1e999]}\n' + result(), "samples_ns: a number is too large")
        self.refused(header() + header(), "line 2", "a second header")
        self.refused(header() + line("surprise"), "line 2", "unknown kind 'surprise'")
        self.refused(line("header", version=2), "version 2, this package knows version 1")
        self.refused(header() + "[" * 100_000 + "\n" + result(), "line 2", "garbled")
        for number in ("NaN", "1e999", "-Infinity"):
            self.refused(header() + '{"kind":"result","id":"a","status":"ok","median_ns":' + number + "}\n" + result(), "line 2", "garbled")

    def test_missing(self):
        with self.assertRaisesRegex(zonemark.Error, "nowhere"):
            zonemark.load("nowhere")
