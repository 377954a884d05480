"""Makes ONNX models for tests, with inputs and NumPy's results for them, in a folder. The first argument is the folder of the package onnx."""

import sys

sys.path.append(sys.argv[1])

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

os.chdir(sys.argv[2])
random = np.random.default_rng(1)


def save(name, nodes, inputs, outputs, weights=(), opset=17, graph="main", **how):
    graph = helper.make_graph(
        nodes, graph, [helper.make_tensor_value_info(*i) for i in inputs], [helper.make_tensor_value_info(*o) for o in outputs],
        [numpy_helper.from_array(array, key) for key, array in weights],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("my.ops", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), name, **how)


def perceptron(name, batch, opset=17, **how):
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["a"], name="/first/MatMul"),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("MatMul", ["b", "w2"], ["c"], name='second "é"'),
        helper.make_node("Softmax", ["c"], ["y"], axis=1),
    ]
    inputs, outputs = [("x", TensorProto.FLOAT, [batch, 8])], [("y", TensorProto.FLOAT, [batch, 4])]
    save(name, nodes, inputs, outputs, [("w1", w1), ("w2", w2)], opset, "perceptron", **how)


w1, w2 = random.standard_normal((8, 16)).astype(np.float32), random.standard_normal((16, 4)).astype(np.float32)
x = random.standard_normal((3, 8)).astype(np.float32)
e = np.exp(np.maximum(x @ w1, 0) @ w2)
np.save("x.npy", x)
np.save("y.npy", e / e.sum(1, keepdims=True))
perceptron("named.onnx", "batch", opset=11)
perceptron("unnamed.onnx", None)
perceptron("fixed.onnx", 3)
perceptron("external.onnx", 3, save_as_external_data=True, location="external.data", size_threshold=0)

# Elements of several types, names that MLIR has not, and two inputs that share a dimension.
inputs = [
    ("in:put/1", TensorProto.UINT8, ["n", 2]),
    ("in_put_1", TensorProto.INT64, ["n", 2]),
    ("flag", TensorProto.BOOL, ["n", 2]),
    ("s", TensorProto.FLOAT, []),
]
nodes = [helper.make_node("Cast", [name], [f"f{i}"], to=TensorProto.FLOAT) for i, (name, _, _) in enumerate(inputs)]
nodes.append(helper.make_node("Sum", ["f0", "f1", "f2", "f3"], ["out"]))
save("types.onnx", nodes, inputs, [("out", TensorProto.FLOAT, None)], graph="types of elements")
np.save("u.npy", np.array([[250, 3]], np.uint8))
np.save("i.npy", np.array([[-1, 7]], np.int64))
np.save("b.npy", np.array([[True, False]]))
np.save("s.npy", np.float32(0.5))
np.save("sum.npy", np.array([[250.5, 10.5]], np.float32))

# A name of a dimension with a space, names of inputs that are no identifiers, a dimension of size 0, and doubles.
nodes = [helper.make_node("Relu", ["x=y"], ["z"]), helper.make_node("Relu", ["0"], ["w"])]
inputs = [("x=y", TensorProto.FLOAT, ["seq len", 2]), ("0", TensorProto.DOUBLE, [0, 2])]
save("names.onnx", nodes, inputs, [("z", TensorProto.FLOAT, ["seq len", 2]), ("w", TensorProto.DOUBLE, [None, 2])], graph="names")

# Doubles that are computed with, returned as they are, and cast.
nodes = [helper.make_node("Add", ["d", "d"], ["sum"]), helper.make_node("Einsum", ["e"], ["same"], equation="->")]
nodes.append(helper.make_node("Cast", ["d"], ["cast"], to=TensorProto.FLOAT))
outputs = [("sum", TensorProto.DOUBLE, [2]), ("same", TensorProto.DOUBLE, []), ("cast", TensorProto.FLOAT, [2])]
save("doubles.onnx", nodes, [("d", TensorProto.DOUBLE, [2]), ("e", TensorProto.DOUBLE, [])], outputs, graph="doubles")
np.save("d.npy", np.array([0.1, 3]))
np.save("e.npy", np.float64(0.3))
np.save("dd.npy", np.array([0.2, 6]))
np.save("cast.npy", np.array([0.1, 3], np.float32))

one, two = [("x", TensorProto.FLOAT, [2])], [("y", TensorProto.FLOAT, [2])]
save("custom.onnx", [helper.make_node("Frobnicate", ["x"], ["y"], domain="my.ops")], one, two)
save("invalid.onnx", [helper.make_node("Relu", ["nowhere"], ["y"])], one, two)
with open("garbage.onnx", "wb") as file:
    file.write(b"hello, world")
