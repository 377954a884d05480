"""Runs functions of IREE modules for zonemark's executor, through the native bindings of the wheel iree-base-runtime.

Every function that Go calls takes a JSON text and a list of memoryviews that it must not keep, and returns a JSON text and a list of bytes. The
call that is measured is none of them: `calls` holds objects that Go calls without arguments, made of C code alone.
"""

import functools
import gc
import importlib
import itertools
import json
import mmap
import os
import queue
import struct
import sys
import threading
import types

# numpy, which the bindings need, would start a thread for each processor.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

iree = None  # the native bindings, set by load
devices = {}  # (name, threads) -> [device, sessions that use it]
sessions = {}  # number -> Session
calls = {}  # by the number of the bound function
bounds = {}  # number -> device, results of the last call
numbers = itertools.count(1)  # of sessions and bound functions


def entry(function):
    """Wraps a function of a dict and a list that returns a dict and a list."""

    @functools.wraps(function)
    def wrapper(request, data):
        reply, out = function(json.loads(request), data)
        return json.dumps(reply), out

    return wrapper


# Releases whose bindings need no numpy for what this module calls: they only look up types in it when they are loaded, which they would
# return from functions that convert arrays.
WITHOUT_NUMPY = ("3.13.",)


class NoNumpy(types.ModuleType):
    """Stands for numpy while the bindings are loaded: importing numpy takes longer than all else that a launch does in Python."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def release(package):
    """The version of the bindings in a package, "3.13.0", or nothing if it does not say it."""
    try:
        return importlib.import_module(package + ".version").VERSION
    except (ImportError, AttributeError):
        return ""


def import_bindings(package):
    """The bindings of a package, which are loaded without numpy if their release is known to need none."""
    name = package + "._runtime"
    if "numpy" in sys.modules or not release(package).startswith(WITHOUT_NUMPY):
        return importlib.import_module(name)
    sys.modules["numpy"] = NoNumpy("numpy")
    try:
        return importlib.import_module(name)
    finally:
        del sys.modules["numpy"]


@entry
def load(request, _):
    """Imports the bindings: one variant in a process."""
    global iree
    name = "iree._runtime_libs" + ("_tracy" if request["tracy"] else "")
    if iree is None:
        if request["site"] not in sys.path:
            sys.path.insert(0, request["site"])
        iree = import_bindings(name)
        gc.disable()  # nothing below makes cycles
    if iree.__name__ != name + "._runtime":
        raise RuntimeError(f"{iree.__name__} is loaded already: a process has one of the two")
    return {"file": iree.__file__}, []


def device_for(name, threads):
    """The device of that name, which sessions with the same options share."""
    key = (name, threads)
    if key not in devices:
        known = iree.HalDriver.query()
        if name.split("://")[0] not in known:
            raise LookupError(f"no device {name!r}: this runtime has {', '.join(known)}")
        # Read when a driver is made, so each device gets its own; the flags are the process's, so they are always set. 0 is the default.
        iree.parse_flags(f"--task_topology_group_count={threads}")
        devices[key] = [iree.create_hal_driver(name).create_device_by_uri(name), 0]
    devices[key][1] += 1
    return devices[key][0]


def release_device(key):
    devices[key][1] -= 1
    if devices[key][1] == 0:
        del devices[key]


def read_module(instance, path):
    """The module of a file. VmModule.mmap opens the file for writing, which a sandbox does not allow."""
    with open(path, "rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return iree.VmModule.wrap_buffer(instance, content)


class Session:
    """A module on a device."""

    def __init__(self, request):
        self.key = (request["device"], request["threads"])
        self.device = device_for(*self.key)
        try:
            self.prepare(request)
        except BaseException:
            release_device(self.key)
            raise

    def prepare(self, request):
        instance = iree.VmInstance()
        modules = [iree.create_hal_module(instance, self.device)]
        if request["parameters"]:
            providers = []
            for scope, paths in request["parameters"].items():
                index = iree.ParameterIndex()
                for path in paths:
                    index.load(path)
                providers.append(index.create_provider(scope=scope))
            modules.append(iree.create_io_parameters_module(instance, *providers))
        modules += [read_module(instance, path) for path in [*(request["modules"] or []), request["path"]]]
        self.module = modules[-1]
        self.context = iree.VmContext(instance, modules)


@entry
def open_session(request, _):
    session = Session(request)
    n = next(numbers)
    sessions[n] = session
    return {"session": n}, []


@entry
def close_session(request, _):
    session = sessions.pop(request["session"], None)  # gone after a shut_down
    if session is not None:
        release_device(session.key)
    return {}, []


def buffer_view(device, view, input):
    """A copy of the data on the device."""
    buffer = device.allocator.allocate_buffer_copy(
        memory_type=iree.MemoryType.DEVICE_LOCAL,
        allowed_usage=iree.BufferUsage.DEFAULT,
        device=device,
        buffer=view,
    )
    return buffer if input["storage"] else iree.HalBufferView(buffer, input["shape"], input["element_type"])


@entry
def bind(request, data):
    """Copies inputs to the device and makes the call."""
    session = sessions[request["session"]]
    function = session.module.lookup_function(request["function"])
    if function is None:
        raise LookupError("no such function")
    inputs = iree.VmVariantList(len(data))
    for view, input in zip(data, request["inputs"]):
        if input["scalar"] == "float":
            inputs.push_float(struct.unpack("f" if len(view) == 4 else "d", view)[0])
        elif input["scalar"]:
            inputs.push_int(int.from_bytes(view, "little", signed=input["scalar"] == "signed"))
        else:
            inputs.push_ref(buffer_view(session.device, view, input))
    # The runtime empties the list before it fills it, which releases the results of the call before.
    outputs = iree.VmVariantList(1)
    n = next(numbers)
    calls[n] = functools.partial(session.context.invoke, function, inputs, outputs)
    bounds[n] = (session.device, outputs)
    return {"bound": n}, []


@entry
def unbind(request, _):
    calls.pop(request["bound"], None)
    bounds.pop(request["bound"], None)
    return {}, []


class Stage:
    """A bound function at work in a pipeline: a call of `calls`, its device, and the results of the stage before that its inputs take."""

    def __init__(self, number, moves):
        invoke, (function, inputs, self.outputs) = calls[number].func, calls[number].args
        self.device = bounds[number][0]
        self.invoke = functools.partial(invoke, function)
        self.inputs = [inputs.get_variant(i) for i in range(len(inputs))]
        self.moves = [(move["result"], move["input"]) for move in moves]

    def take(self, before):
        """Makes results of the stage before inputs. On another device they are copies."""
        for result, input in self.moves:
            value = before.outputs.get_variant(result)
            if self.device is not before.device:
                view = value.deref(iree.HalBufferView)
                described = {"shape": list(view.shape), "element_type": int(view.element_type), "storage": False}
                value = buffer_view(self.device, memoryview(contents(before.device, view.get_buffer())[: view.byte_length]), described)
            self.inputs[input] = value

    def call(self):
        inputs = iree.VmVariantList(len(self.inputs))
        for value in self.inputs:
            inputs.push_ref(value)
        self.invoke(inputs, self.outputs)


class Chain:
    """Sends samples through stages, each in a thread of its own. A stage takes a sample from the one before as soon as it has ended its
    own; then the one before may begin another."""

    def __init__(self, samples, stages):
        self.samples, self.stages = samples, stages

    def run(self):
        # Of each stage, whether the one before it has a sample, and the one behind it has taken one; False if that one has failed.
        ready, taken, failed = [[queue.SimpleQueue() for _ in self.stages] for _ in range(2)] + [[]]
        threads = [threading.Thread(target=self.stage, args=(i, ready, taken, failed)) for i in range(1, len(self.stages))]
        for thread in threads:
            thread.start()
        self.stage(0, ready, taken, failed)
        for thread in threads:
            thread.join()
        if failed:
            raise failed.pop()

    def stage(self, i, ready, taken, failed):
        if not self.work(i, ready, taken, failed):
            for told in [taken[i - 1]] * (i > 0) + ready[i + 1 : i + 2]:
                told.put(False)

    def work(self, i, ready, taken, failed):
        """One stage for all samples. It returns False if a stage has failed."""
        try:
            for _ in range(self.samples):
                if i > 0:
                    if not ready[i].get():
                        return False
                    self.stages[i].take(self.stages[i - 1])
                    taken[i - 1].put(True)
                self.stages[i].call()
                if i + 1 < len(self.stages):
                    ready[i + 1].put(True)
                    if not taken[i].get():
                        return False
        except Exception as e:
            failed.append(RuntimeError(f"stage {i}: {e}"))
            return False
        return True


@entry
def chain(request, _):
    """Makes a call that sends samples through bound functions. Its results are those of the last one."""
    stages = [Stage(n, moves) for n, moves in zip(request["bounds"], request["moves"])]
    n = next(numbers)
    calls[n] = functools.partial(Chain(request["samples"], stages).run)
    bounds[n] = bounds[request["bounds"][-1]]
    return {"bound": n}, []


INT_8 = 0x10000008  # iree_hal_element_type_t


def contents(device, buffer):
    """The bytes of a buffer. Memory that the host cannot map is copied by the device first."""
    visible, mappable = int(iree.MemoryType.HOST_VISIBLE), int(iree.BufferUsage.MAPPING_SCOPED)
    if buffer.memory_type() & visible != visible or int(buffer.allowed_usage()) & mappable != mappable:
        host = device.allocator.allocate_buffer(
            memory_type=int(iree.MemoryType.HOST_LOCAL | iree.MemoryType.DEVICE_VISIBLE),
            allowed_usage=int(iree.BufferUsage.TRANSFER_TARGET | iree.BufferUsage.MAPPING_SCOPED),
            allocation_size=buffer.byte_length(),
        )
        semaphore = device.create_semaphore(0)
        done = iree.HalFence.create_at(semaphore, 1)
        start = iree.HalFence.create_at(semaphore, 0)
        device.queue_copy(buffer, host, wait_semaphores=start, signal_semaphores=done)
        done.wait()
        buffer = host
    return bytes(memoryview(buffer.map()))


@entry
def outputs(request, _):
    """Copies the results of the last call."""
    device, results = bounds[request["bound"]]
    described, data = [], []
    for i in range(len(results)):
        value = results.get_variant(i)
        if isinstance(value, iree.VmRef):
            buffer = value.deref(iree.HalBuffer, True)
            if buffer is not None:
                described.append({"shape": [buffer.byte_length()], "element_type": INT_8})
                data.append(contents(device, buffer)[: buffer.byte_length()])
                continue
            view = value.deref(iree.HalBufferView, True)
            if view is None:
                raise TypeError(f"result {i} is {value!r}, not a tensor or a number")
            described.append({"shape": list(view.shape), "element_type": int(view.element_type)})
            data.append(contents(device, view.get_buffer())[: view.byte_length])
        else:
            kind = results.get_serialized_trace_value(i)
            name = next(k for k in kind if k != "type")
            described.append({"scalar": name})
            data.append(struct.pack({"f32": "f", "f64": "d"}.get(name, "q"), value))
    return {"outputs": described}, data


def ended():
    raise RuntimeError("the runtime has been shut down")


@entry
def shut_down(request, _):
    """Releases everything, also what Go still holds, so that the runtime's own threads end."""
    for call in calls.values():
        call.__setstate__((ended, (), {}, None))
    for held in (calls, bounds, sessions, devices):
        held.clear()
    gc.collect()
    return {}, []
