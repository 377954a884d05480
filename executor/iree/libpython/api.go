package libpython

import (
	"fmt"
	"unsafe"

	"zonemark/executor/dl"
)

// api holds the addresses of the used functions of CPython's C API. All of them are in the stable ABI of Python 3.10
// and later, unless a comment says otherwise. References are new ones unless a call is marked as "borrowed".
type api struct {
	interpreter
	modules
	objects
	containers
}

// interpreter starts Python.
type interpreter struct {
	getVersion        uintptr `c:"Py_GetVersion"`
	isInitialized     uintptr `c:"Py_IsInitialized"`
	initialize        uintptr `c:"Py_InitializeEx"`
	holdsLock         uintptr `c:"PyGILState_Check"` // not in the stable ABI
	decodeLocale      uintptr `c:"Py_DecodeLocale"`
	setProgramName    uintptr `c:"Py_SetProgramName,optional"`        // missing from Python 3.15 on
	ignoreEnvironment uintptr `c:"Py_IgnoreEnvironmentFlag,optional"` // a variable, as the next two; not stable
	noUserSite        uintptr `c:"Py_NoUserSiteDirectory,optional"`
	noBytecode        uintptr `c:"Py_DontWriteBytecodeFlag,optional"`
}

// modules run code.
type modules struct {
	addModule      uintptr `c:"PyImport_AddModule"`
	getModuleDict  uintptr `c:"PyImport_GetModuleDict"`
	moduleGetDict  uintptr `c:"PyModule_GetDict"`
	execCodeModule uintptr `c:"PyImport_ExecCodeModule"`
	compileString  uintptr `c:"Py_CompileString"`
	evalCode       uintptr `c:"PyEval_EvalCode"`
}

// objects are called, and counted by their references.
type objects struct {
	callNoArgs   uintptr `c:"PyObject_CallNoArgs"`
	callObject   uintptr `c:"PyObject_CallObject"`
	getAttr      uintptr `c:"PyObject_GetAttrString"`
	incRef       uintptr `c:"Py_IncRef"`
	decRef       uintptr `c:"Py_DecRef"`
	none         uintptr `c:"_Py_NoneStruct"` // the object, not a function
	errFetch     uintptr `c:"PyErr_Fetch"`
	errNormalize uintptr `c:"PyErr_NormalizeException"`
	errClear     uintptr `c:"PyErr_Clear"`
}

// containers hold texts, memory and other objects.
type containers struct {
	dictGetItem  uintptr `c:"PyDict_GetItemString"`
	stringFrom   uintptr `c:"PyUnicode_FromStringAndSize"`
	stringTo     uintptr `c:"PyUnicode_AsUTF8AndSize"`
	bytesTo      uintptr `c:"PyBytes_AsStringAndSize"`
	memoryFrom   uintptr `c:"PyMemoryView_FromMemory"`
	newTuple     uintptr `c:"PyTuple_New"`
	setTuple     uintptr `c:"PyTuple_SetItem"`
	newList      uintptr `c:"PyList_New"`
	setList      uintptr `c:"PyList_SetItem"`
	sequenceSize uintptr `c:"PySequence_Size"`
	sequenceItem uintptr `c:"PySequence_GetItem"`
}

func newAPI(lookup func(name string) (uintptr, error)) (*api, error) {
	a := &api{}
	if err := dl.Fill(lookup, a); err != nil {
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
