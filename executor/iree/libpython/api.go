package libpython

import (
	"fmt"
	"strings"
	"unsafe"
)

// api holds the addresses of what is used of CPython's C API. All of it is in the stable ABI of Python 3.10 and later, except where it says otherwise.
// References are new ones unless a call is marked as "borrowed".
type api struct {
	getVersion, isInitialized, initialize, finalize, holdsLock uintptr
	decodeLocale                                               uintptr
	setProgramName                                             uintptr // 0 where it is gone, from Python 3.15 on
	flags                                                      [3]uintptr

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
	var missing []string
	var cause error
	for _, f := range []struct {
		name     string
		at       *uintptr
		optional bool
	}{
		{"Py_GetVersion", &a.getVersion, false},
		{"Py_IsInitialized", &a.isInitialized, false},
		{"Py_InitializeEx", &a.initialize, false},
		{"Py_FinalizeEx", &a.finalize, false},
		{"PyGILState_Check", &a.holdsLock, false}, // not of the stable ABI
		{"Py_DecodeLocale", &a.decodeLocale, false},
		{"Py_SetProgramName", &a.setProgramName, true},
		{"Py_IgnoreEnvironmentFlag", &a.flags[0], true}, // the flags are not of the stable ABI
		{"Py_NoUserSiteDirectory", &a.flags[1], true},
		{"Py_DontWriteBytecodeFlag", &a.flags[2], true},
		{"PyImport_AddModule", &a.addModule, false},
		{"PyImport_GetModuleDict", &a.getModuleDict, false},
		{"PyModule_GetDict", &a.moduleGetDict, false},
		{"PyImport_ExecCodeModule", &a.execCodeModule, false},
		{"Py_CompileString", &a.compileString, false},
		{"PyEval_EvalCode", &a.evalCode, false},
		{"PyDict_GetItemString", &a.dictGetItem, false},
		{"PyObject_CallNoArgs", &a.callNoArgs, false},
		{"PyObject_CallObject", &a.callObject, false},
		{"PyObject_GetAttrString", &a.getAttr, false},
		{"Py_IncRef", &a.incRef, false},
		{"Py_DecRef", &a.decRef, false},
		{"_Py_NoneStruct", &a.none, false},
		{"PyErr_Fetch", &a.errFetch, false},
		{"PyErr_NormalizeException", &a.errNormalize, false},
		{"PyErr_Clear", &a.errClear, false},
		{"PyUnicode_FromStringAndSize", &a.stringFrom, false},
		{"PyUnicode_AsUTF8AndSize", &a.stringTo, false},
		{"PyBytes_AsStringAndSize", &a.bytesTo, false},
		{"PyMemoryView_FromMemory", &a.memoryFrom, false},
		{"PyTuple_New", &a.newTuple, false},
		{"PyTuple_SetItem", &a.setTuple, false},
		{"PyList_New", &a.newList, false},
		{"PyList_SetItem", &a.setList, false},
		{"PySequence_Size", &a.sequenceSize, false},
		{"PySequence_GetItem", &a.sequenceItem, false},
	} {
		p, err := lookup(f.name)
		if err == nil {
			*f.at = p
		} else if !f.optional {
			missing, cause = append(missing, f.name), err
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("not the shared library of Python 3.10 or later: it lacks %s: %w", strings.Join(missing, ", "), cause)
	}
	return a, nil
}

// at is C's memory as a pointer. The address does not come from Go, so that the garbage collector has no part in it.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// text is a copy of a C string.
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
