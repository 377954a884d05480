# Imports an ONNX model as MLIR with iree-import-onnx: gives its open dimensions sizes and upgrades old operator sets first.
#
# Arguments: the folder of the package onnx, the model, the output, a file for what is to be known of the import (JSON), and NAME=SIZE words.
# Exit status 3: the model cannot be imported, and standard error says why in the user's words; standard output may say which
# sizes are missing (JSON). Any other status is a fault of the importer.
import difflib
import json
import os
import re
import sys

site, path, output, notes_path, *words = sys.argv[1:]
sys.path.append(site)  # last: what is installed beside IREE comes first

import onnx
import onnx.shape_inference
import onnx.version_converter

OLDEST_OPSET = 17  # which the importer knows best

# ONNX's element types (onnx.TensorProto.DataType) as MLIR writes them.
ELEMENTS = {
    1: "f32", 2: "ui8", 3: "i8", 4: "ui16", 5: "i16", 6: "i32", 7: "i64", 9: "i1", 10: "f16", 11: "f64", 12: "ui32", 13: "ui64", 16: "bf16",
}  # fmt: skip


def refuse(text, **needed):
    print(text, file=sys.stderr)
    json.dump(needed, sys.stdout)
    sys.exit(3)


def load():
    try:
        model = onnx.load(path, load_external_data=False)
        if not model.HasField("graph"):
            refuse("this is no ONNX model: it has no graph")
        external = [t for t in model.graph.initializer if onnx.external_data_helper.uses_external_data(t)]
        if external:
            onnx.load_external_data_for_model(model, os.path.dirname(os.path.abspath(path)))
        return model, bool(external)
    except Exception as error:  # a parser's, of any kind
        refuse(f"this is no ONNX model, or data of it is missing: {type(error).__name__}: {error}")


def dimensions(value):
    """The dimensions of a tensor; none if it is something else, or of unknown rank."""
    return value.type.tensor_type.shape.dim if value.type.HasField("tensor_type") else ()


def told(inputs, words):
    """What words "?NAME.AXIS=SIZE" tell of inputs: the size of each axis, by the name of the input and the axis."""
    by_label = {}
    for name, _, size in (word[1:].rpartition("=") for word in words):
        label, _, axis = name.rpartition(".")
        by_label.setdefault(label, {})[axis] = int(size)
    unnamed = (i.name for i in inputs if i.name not in by_label)
    turns = {name: f"#{n}" for n, name in enumerate(unnamed)}
    return {
        (i.name, int(axis)): size for i in inputs for axis, size in by_label.get(turns.get(i.name, i.name), {}).items()
        if axis.isdigit()
    }  # fmt: skip


def fix(model, sizes, words):
    """Gives the open dimensions of the inputs sizes, and takes them from what follows of them."""
    held = {t.name for t in model.graph.initializer}
    inputs = [i for i in model.graph.input if i.name not in held]
    inferred, givers = told(inputs, words), {}
    unranked = [i.name for i in inputs if i.type.HasField("tensor_type") and not i.type.tensor_type.HasField("shape")]
    if unranked:
        refuse(f"the rank of the input {unranked[0]} is not known; export the model with shapes")
    open_, shapes = {}, []
    for value in inputs:
        names = []
        for axis, dim in enumerate(dimensions(value)):
            name = dim.dim_param or f"{value.name}.{axis}"
            # 0 is a size, and what some exporters write for an open dimension: who gives it a size knows.
            zero = dim.HasField("dim_value") and dim.dim_value == 0
            if dim.dim_value > 0 or zero and name not in sizes and not inferred.get((value.name, axis)):
                names.append(str(dim.dim_value))
                continue
            names.append(name)
            open_.setdefault(name, []).append(dim)
            size = inferred.get((value.name, axis))
            if size is not None and name not in sizes:
                sizes[name], givers[name] = size, value.name
            if size is not None and name in givers and sizes[name] != size:
                refuse(f"the dimension {name} is {sizes[name]} in the input {givers[name]} and {size} in the input {value.name}")
        shapes.append(f"{value.name} ({', '.join(names)})")
    missing = [name for name in open_ if name not in sizes]
    unknown = [name for name in sizes if name not in open_]
    if unknown:
        near = difflib.get_close_matches(unknown[0], open_, 1)
        hint = f"; did you mean {near[0]}?" if near else f"; open are {', '.join(open_)}" if open_ else ""
        meant = (near or missing or [""])[0]
        refuse(f"size {unknown[0]}={sizes[unknown[0]]} of a dimension: no input has such an open dimension: {'; '.join(shapes)}{hint}", instead=[unknown[0], meant])
    if missing:
        refuse(f"each open dimension needs a size: {'; '.join(shapes)}", sizes=[f"{name}=1" for name in missing])
    for name, dims in open_.items():
        for dim in dims:
            dim.dim_value = sizes[name]  # which replaces a name
    for value in [*model.graph.output, *model.graph.value_info]:
        for dim in dimensions(value):
            if dim.dim_param in sizes:
                dim.dim_value = sizes[dim.dim_param]
            elif dim.dim_param:  # follows from those of the inputs, and is inferred
                dim.ClearField("dim_param")


def upgraded(model):
    """The model with an operator set that is not too old; itself if it cannot be upgraded."""
    version = next((s.version for s in model.opset_import if s.domain in ("", "ai.onnx")), 0)
    notes = {"opset": version}
    if 0 < version < OLDEST_OPSET:
        try:
            model = onnx.version_converter.convert_version(model, OLDEST_OPSET)
            notes["upgraded"] = OLDEST_OPSET
        except Exception as error:  # the converter raises what it likes; the importer knows many old operators, too
            notes["kept"] = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
    return model, notes


def declaration(model):
    """The signature that the compiler keeps in the module, since it drops the types of ONNX: names, shapes and element types."""
    held = {t.name for t in model.graph.initializer}
    inputs = [v for v in model.graph.input if v.name not in held]
    taken = set()

    def text(value):
        name = re.sub(r"[^\w.$-]", "_", value.name, flags=re.ASCII)
        while name in taken:
            name += "_"
        taken.add(name)
        if not value.type.HasField("tensor_type"):
            return f"%{name}: !{value.type.WhichOneof('value') or 'unknown'}"
        tensor = value.type.tensor_type
        sizes = [str(d.dim_value) if d.HasField("dim_value") else "?" for d in tensor.shape.dim]
        return f"%{name}: tensor<{'x'.join([*sizes, ELEMENTS.get(tensor.elem_type, 'unknown')])}>"

    return f'sync func @"{function_name(model)}"({", ".join(map(text, inputs))}) -> ({", ".join(map(text, model.graph.output))})'


def function_name(model):
    return model.graph.name.replace('"', "_").replace("\\", "_")


def translate(prepared):
    """Does what iree-import-onnx does, and declares the function."""
    from iree.compiler import ir
    from iree.compiler.extras import onnx_importer
    from iree.compiler.tools.import_onnx import __main__ as importer

    args = importer.parse_arguments([prepared, "-o", output])
    try:
        model = importer.load_onnx_model(args)
    except onnx.checker.ValidationError as error:
        refuse(f"it is not a valid model: {str(error).strip()}")
    info = onnx_importer.ModelInfo(model)
    module = info.create_module(context=ir.Context()).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    module.verify()
    function = module.regions[0].blocks[0].operations[0]
    with module.context:
        text = ir.StringAttr.get(declaration(model))
        function.attributes["iree.reflection"] = ir.DictAttr.get({"iree.abi.declaration": text})
    with open(output, "w", encoding="utf-8") as file:
        print(module.get_asm(assume_verified=True), file=file)
    return nodes(module)


def nodes(module):
    """The names of the model's nodes by the lines of their operations. The compiler gets the lines alone: names of nodes would be in its code."""
    text = module.get_asm(assume_verified=True, enable_debug_info=True, use_local_scope=True, large_elements_limit=16, large_resource_limit=16)
    named = ((n, re.search(r' = torch\.operator "onnx\..* loc\("((?:[^"\\]|\\.)+)"\)$', line)) for n, line in enumerate(text.split("\n"), 1))
    return {n: re.sub(r"(?:\\[0-9A-F]{2})+", unescaped, found[1]) for n, found in named if found}


def unescaped(found):
    """The text of bytes that MLIR writes as hexadecimal digits."""
    return bytes.fromhex(found[0].replace("\\", "")).decode(errors="replace")


def main():
    model, external = load()
    model.graph.name = function_name(model) or "main"
    sizes = {name: int(size) for name, _, size in (word.rpartition("=") for word in words if word[0] != "?")}
    fix(model, sizes, [word for word in words if word[0] == "?"])
    if any(o.type.HasField("tensor_type") and not o.type.tensor_type.HasField("shape") for o in model.graph.output):
        model = onnx.shape_inference.infer_shapes(model)  # the checker wants shapes
    model, notes = upgraded(model)
    for node in model.graph.node:
        node.name = node.name or " ".join([node.op_type, *node.output[:1]])
    prepared = output + ".onnx"
    try:
        onnx.save(model, prepared)
    except ValueError as error:  # protobuf's limit
        refuse(
            "it is larger than 2 GB: import it with iree-import-onnx --externalize-params, and measure the .mlir with the file "
            f"of its parameters ({error})"
        )
    notes["nodes"] = translate(prepared)
    held = {t.name for t in model.graph.initializer}
    notes["sizes"] = sorted(f"{name}={size}" for name, size in sizes.items())
    inputs, outputs = [v for v in model.graph.input if v.name not in held], list(model.graph.output)
    notes["doubles"] = any(v.type.tensor_type.elem_type == onnx.TensorProto.DOUBLE for v in [*inputs, *outputs])
    names = {"inputs": [v.name for v in inputs], "outputs": [v.name for v in outputs]}
    with open(notes_path, "w", encoding="utf-8") as file:
        json.dump({**notes, **names, "external": external}, file)


main()
