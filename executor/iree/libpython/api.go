package libpython

import (
	"fmt"
	"unsafe"

	"zonemark/executor/dl"
)

// api holds the addresses of the used functions of CPython's C API. All of them are in the stable ABI of Python 3.10
// and later, unless a comment says otherwise. References are new ones unless a call is marked as "borrowed".
type api struct {
	getVersion, isInitialized, initialize, holdsLock uintptr
	decodeLocale                                     uintptr
	setProgramName                                   uintptr // 0 if it is missing, from Python 3.15 on
	flags                                            [3]uintptr

	addModule, getModuleDict, moduleGetDict, execCodeModule uintptr
	compileString, evalCode                                 uintptr
	dictGetItem                                             uintptr
	callNoArgs, callObject, getAttr, incRef, decRef         uintptr
	none                                                    uintptr // the object, not a function

	errFetch, errNormalize, errClear     uintptr
	stringFrom, stringTo                 uintptr
	bytesTo, memoryFrom                  uintptr
	newTuple, setTuple, newList, setList uintptr
	sequenceSize, sequenceItem           uintptr
}

func newAPI(lookup func(name string) (uintptr, error)) (*api, error) {
	a := &api{}
	err := dl.Resolve(lookup, []dl.Symbol{
		{Name: "Py_GetVersion", Address: &a.getVersion},
		{Name: "Py_IsInitialized", Address: &a.isInitialized},
		{Name: "Py_InitializeEx", Address: &a.initialize},
		{Name: "PyGILState_Check", Address: &a.holdsLock}, // not in the stable ABI
		{Name: "Py_DecodeLocale", Address: &a.decodeLocale},
		{Name: "Py_SetProgramName", Address: &a.setProgramName, Optional: true},
		{Name: "Py_IgnoreEnvironmentFlag", Address: &a.flags[0], Optional: true}, // the flags are not in the stable ABI
		{Name: "Py_NoUserSiteDirectory", Address: &a.flags[1], Optional: true},
		{Name: "Py_DontWriteBytecodeFlag", Address: &a.flags[2], Optional: true},
		{Name: "PyImport_AddModule", Address: &a.addModule},
		{Name: "PyImport_GetModuleDict", Address: &a.getModuleDict},
		{Name: "PyModule_GetDict", Address: &a.moduleGetDict},
		{Name: "PyImport_ExecCodeModule", Address: &a.execCodeModule},
		{Name: "Py_CompileString", Address: &a.compileString},
		{Name: "PyEval_EvalCode", Address: &a.evalCode},
		{Name: "PyDict_GetItemString", Address: &a.dictGetItem},
		{Name: "PyObject_CallNoArgs", Address: &a.callNoArgs},
		{Name: "PyObject_CallObject", Address: &a.callObject},
		{Name: "PyObject_GetAttrString", Address: &a.getAttr},
		{Name: "Py_IncRef", Address: &a.incRef},
		{Name: "Py_DecRef", Address: &a.decRef},
		{Name: "_Py_NoneStruct", Address: &a.none},
		{Name: "PyErr_Fetch", Address: &a.errFetch},
		{Name: "PyErr_NormalizeException", Address: &a.errNormalize},
		{Name: "PyErr_Clear", Address: &a.errClear},
		{Name: "PyUnicode_FromStringAndSize", Address: &a.stringFrom},
		{Name: "PyUnicode_AsUTF8AndSize", Address: &a.stringTo},
		{Name: "PyBytes_AsStringAndSize", Address: &a.bytesTo},
		{Name: "PyMemoryView_FromMemory", Address: &a.memoryFrom},
		{Name: "PyTuple_New", Address: &a.newTuple},
		{Name: "PyTuple_SetItem", Address: &a.setTuple},
		{Name: "PyList_New", Address: &a.newList},
		{Name: "PyList_SetItem", Address: &a.setList},
		{Name: "PySequence_Size", Address: &a.sequenceSize},
		{Name: "PySequence_GetItem", Address: &a.sequenceItem},
	})
	if err != nil {
		return nil, fmt.Errorf("not the shared library of Python 3.10 or later: %w", err)
	}
	return a, nil
}

// at returns a pointer to C's memory. The address does not come from Go, so the garbage collector ignores it.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// text returns a copy of a C string.
func text(address uintptr) string {
	if address == 0 {
		return ""
	}
	n := 0
	for *at[byte](address + uintptr(n)) != 0 {
		n++
	}
	return string(unsafe.Slice(at[byte](address), n))
}
