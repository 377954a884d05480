"""The command line that zonemark's binary calls: python -m zonemark.models list|describe|export.

Standard output is one JSON object; what models print goes to standard error, as does progress.
"""

import argparse
import json
import os
import sys
import traceback
from typing import Any


def main(arguments: list[str]) -> int:
    """Runs a command and prints its answer; 1 is a failure, which the answer describes."""
    options = _parse(arguments)
    sys.stdout.flush()
    answer_to = os.dup(1)
    os.dup2(2, 1)  # models print what they like, and so do libraries in C
    status, answer = _run(options)
    with os.fdopen(answer_to, "w", encoding="utf-8") as out:
        json.dump(answer, out, ensure_ascii=False)
        out.write("\n")
    return status


def _run(options: argparse.Namespace) -> tuple[int, dict[str, Any]]:
    from zonemark.models.exporter import manifest
    from zonemark.models.exporter.calling import Options
    from zonemark.models.exporter.failure import Failure
    from zonemark.models.exporter.formats import FORMATS
    from zonemark.models.exporter.registry import discover

    catalog = discover(options.models)
    if options.command == "list":
        mistakes = [{"file": m.file, "line": m.line, "error": str(m)} for m in catalog.mistakes]
        return 0, {"version": 1, "models": [model.described() for _, model in sorted(catalog.models.items())], "mistakes": mistakes}
    try:
        if options.emulate_format and options.emulate_format not in FORMATS:
            raise Failure("unsupported", f"no block format is called {options.emulate_format!r}; there are {', '.join(FORMATS)}")
        model = catalog.model(options.model)
        chosen = Options(
            config=options.config,
            training=options.training,
            generative=options.generative,
            layers=options.layers,
            microbatch=options.microbatch,
            dtype=options.dtype,
            block_format=FORMATS.get(options.emulate_format),
            seed=options.seed,
        )
        if options.command == "describe":
            return 0, manifest.describe(model, chosen)
        return 0, {"version": 1, "manifest": manifest.export(model, chosen, options.out, expected=not options.no_expected)}
    except Failure as failure:
        return 1, {"version": 1, "error": str(failure), "file": failure.file, "line": failure.line, "kind": failure.kind}
    except Exception as error:  # the exporter's own, such as a full disk
        traceback.print_exc()
        return 1, {"version": 1, "error": f"{type(error).__name__}: {error}", "file": "", "line": 0, "kind": "exception"}


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m zonemark.models", description="Lists, describes and exports models as StableHLO programs.")
    commands = parser.add_subparsers(dest="command", required=True)
    folders = argparse.ArgumentParser(add_help=False)
    folders.add_argument("--models", metavar="DIR", action="append", default=[], help="a folder of files that define models; repeatable")
    chosen = argparse.ArgumentParser(add_help=False, parents=[folders])
    chosen.add_argument("--model", required=True, help="the model's name")
    chosen.add_argument("--config", default="", help="its configuration; the only one when left out")
    chosen.add_argument("--training", action="store_true", help="loss and gradients instead of inference")
    chosen.add_argument("--generative", action="store_true", help="the whole decoding of a generative model, token by token")
    chosen.add_argument("--layers", type=_count, default=0, help="layers, where the model allows a choice; 0: as published")
    chosen.add_argument("--microbatch", type=_count, default=0, help="the batch dimension; 0: the model's own")
    chosen.add_argument("--dtype", choices=("float32", "float16", "bfloat16"), default="float32", help="element type of weights and activations")
    chosen.add_argument("--emulate-format", default="", help="round weights and activations to a block format, such as Bfp8_b")
    chosen.add_argument("--seed", type=int, default=0, help="seed of the weights")
    commands.add_parser("list", parents=[folders], help="the models, and the mistakes in files that hold none for them")
    commands.add_parser("describe", parents=[chosen], help="the manifest of an export, by abstract evaluation")
    export = commands.add_parser("export", parents=[chosen], help="write programs, arrays and a manifest")
    export.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    export.add_argument("--no-expected", action="store_true", help="do not compute what the results must be")
    return parser.parse_args(arguments)


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{value} is negative")
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
