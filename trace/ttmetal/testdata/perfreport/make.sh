#!/bin/sh
# Makes the files that TestPerfReport compares with: reports of tt-metal, and what tt-perf-report says of them.
#
#   make.sh FOLDER
#
# FOLDER is tests/data of the repository tenstorrent/tt-perf-report at commit 00b7324a30653d406b08efc82e618f30be03e948.
# tt-perf-report 1.4.1 has to be on PATH (PyPI: tt-perf-report). README.md says what the files are.
set -eu
from=$1
cd "$(dirname "$0")"

make() { # make NAME ROWS FLAG…: the first rows of a report, and the tool's table of them
	name=$1 rows=$2
	shift 2
	head -n $((rows + 1)) "$from/$name.csv" >"$name.csv"
	tt-perf-report --no-color --ignore-signposts --no-merge-devices --no-summary --csv "$name.expected.csv" "$@" \
		"$name.csv" >/dev/null
	gzip -9nf "$name.csv" "$name.expected.csv"
}

make wh_clip_encoder_2 500
make bh_p100_dlv3 387 --arch p100
make bh_8xp150_deepseek_v3_d_p 208
