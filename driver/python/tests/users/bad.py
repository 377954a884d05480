"""Calls that mypy must refuse, each with the code of its error. Nobody runs this file."""

import zonemark

zonemark.run("suite.toml", max_tme=2)  # error: call-arg
zonemark.run("suite.toml", max_time=[2])  # error: arg-type
zonemark.run("suite.toml", mode="cld")  # error: arg-type
zonemark.run("suite.toml", check="yes")  # error: arg-type
zonemark.run("suite.toml", launches="many")  # error: arg-type
zonemark.run("suite.toml", output="j.ndjson")  # error: call-arg
zonemark.run(3)  # error: arg-type
zonemark.measure(sum, [1], max_tme=2)  # error: call-arg
zonemark.measure(sum, [1], param={"M": 1})  # error: call-arg
zonemark.compare("a", "b", margn=1)  # error: call-arg
zonemark.open_trace("run.tracy").zones(from_=[1])  # error: arg-type
zonemark.open_trace("run.tracy").statistics(min_duration=1)  # error: call-arg
zonemark.mesure(sum)  # error: attr-defined
