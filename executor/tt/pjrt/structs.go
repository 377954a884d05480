package pjrt

import "unsafe"

// base is the start of every argument struct.
type base struct {
	size      uintptr
	extension uintptr
}

// sized returns the base of an argument struct of type T.
func sized[T any]() base { return base{size: unsafe.Sizeof(*new(T))} }

// handleArgs holds the arguments of functions that take one object and nothing else: the Destroy functions, Event_Await
// and Event_Error.
type handleArgs struct {
	base
	handle uintptr
}

// PJRT_Event_IsReady_Args and PJRT_Event_OnReady_Args.
type (
	isReadyArgs struct {
		base
		event uintptr
		ready bool // out
	}
	onReadyArgs struct {
		base
		event        uintptr
		callback     uintptr        // takes an error, which it owns, and the argument
		callbackWith unsafe.Pointer // the argument
	}
)

// PJRT_Buffer_ReadyEvent_Args. Its start is the struct of PJRT_Buffer_Destroy, too.
type readyEventArgs struct {
	base
	buffer uintptr
	event  uintptr // out
}

// PJRT_Error_Message_Args and PJRT_Error_GetCode_Args.
type (
	errorMessageArgs struct {
		base
		failed     uintptr
		text, size uintptr // out; valid until the error is destroyed
	}
	errorGetCodeArgs struct {
		base
		failed uintptr
		code   int32 // out
	}
)

// PJRT_Plugin_Initialize_Args and PJRT_Plugin_Attributes_Args.
type (
	pluginInitializeArgs struct{ base }
	pluginAttributesArgs struct {
		base
		values, count uintptr // out; valid for ever
	}
)

// PJRT_NamedValue, in the plugin's memory.
type namedValue struct {
	base
	name, nameSize uintptr
	kind           int32
	value          uint64 // for strings and lists, an address
	valueSize      uintptr
}

// PJRT_NamedValue_Type.
const (
	namedString    = 0
	namedInt64     = 1
	namedInt64List = 2
	namedFloat     = 3
	namedBool      = 4
)

// PJRT_Client_Create_Args.
type clientCreateArgs struct {
	base
	options, optionCount     uintptr
	get, getArg, put, putArg uintptr // callbacks of a key-value store that several processes share
	client                   uintptr // out
	tryGet, tryGetArg        uintptr
}

// clientTextArgs holds PJRT_Client_PlatformName_Args and PJRT_Client_PlatformVersion_Args.
type clientTextArgs struct {
	base
	client     uintptr
	text, size uintptr // out
}

// PJRT_Client_AddressableDevices_Args.
type clientDevicesArgs struct {
	base
	client         uintptr
	devices, count uintptr // out
}

// PJRT_Device_GetDescription_Args, PJRT_DeviceDescription_Id_Args and PJRT_DeviceDescription_Kind_Args.
type (
	deviceDescriptionArgs struct {
		base
		device      uintptr
		description uintptr // out
	}
	deviceIDArgs struct {
		base
		description uintptr
		id          int32 // out
	}
	deviceKindArgs struct {
		base
		description uintptr
		text, size  uintptr // out
	}
)

// PJRT_Program and PJRT_Client_Compile_Args.
type (
	programArgs struct {
		base
		code       unsafe.Pointer
		codeSize   uintptr // in and, for Executable_OptimizedProgram, out
		format     unsafe.Pointer
		formatSize uintptr
	}
	compileArgs struct {
		base
		client      uintptr
		program     unsafe.Pointer
		options     unsafe.Pointer
		optionsSize uintptr
		executable  uintptr // out
	}
)

// PJRT_Executable_OptimizedProgram_Args. The format lies in the plugin's memory.
type (
	optimizedProgramArgs struct {
		base
		executable uintptr
		program    unsafe.Pointer
	}
	optimizedProgram struct {
		base
		code               unsafe.Pointer
		codeSize           uintptr // out while code is nil
		format, formatSize uintptr // out
	}
)

// PJRT_Executable_Serialize_Args and PJRT_Executable_DeserializeAndLoad_Args.
type (
	serializeArgs struct {
		base
		executable  uintptr
		bytes, size uintptr // out; valid until the deleter is called
		serialized  uintptr // out
		deleter     uintptr // out, void (*)(PJRT_SerializedExecutable*)
	}
	deserializeArgs struct {
		base
		client      uintptr
		bytes       unsafe.Pointer
		size        uintptr
		executable  uintptr // out
		options     unsafe.Pointer
		optionsSize uintptr
	}
)

// PJRT_LoadedExecutable_GetExecutable_Args, PJRT_Executable_NumOutputs_Args and the queries of an executable's results.
type (
	getExecutableArgs struct {
		base
		loaded     uintptr
		executable uintptr // out
	}
	numOutputsArgs struct {
		base
		executable uintptr
		count      uintptr // out
	}
	costAnalysisArgs struct {
		base
		executable    uintptr
		count, values uintptr // out
	}
	outputTypesArgs struct {
		base
		executable   uintptr
		types, count uintptr // out
	}
	outputDimensionsArgs struct {
		base
		executable        uintptr
		count             uintptr // out
		dimensions, ranks uintptr // out; the dimensions of all outputs one after the other
	}
)

// PJRT_Client_BufferFromHostBuffer_Args.
type bufferFromHostArgs struct {
	base
	client         uintptr
	data           unsafe.Pointer
	element        int32
	dimensions     unsafe.Pointer
	rank           uintptr
	strides        unsafe.Pointer // in bytes
	strideRank     uintptr
	semantics      int32
	device         uintptr
	memory, layout uintptr
	done           uintptr // out, event
	buffer         uintptr // out
}

// PJRT_HostBufferSemantics_kImmutableOnlyDuringCall: the plugin copies what it needs before it returns.
const immutableOnlyDuringCall = 0

// PJRT_Buffer_ToHostBuffer_Args.
type toHostArgs struct {
	base
	source      uintptr
	layout      uintptr // 0 for the buffer's own
	destination unsafe.Pointer
	size        uintptr // out while destination is nil
	done        uintptr // out, event
}

// PJRT_ExecuteOptions and PJRT_LoadedExecutable_Execute_Args.
type (
	executeOptions struct {
		base
		send, receive           uintptr
		sendCount, receiveCount uintptr
		launchID                int32
		nonDonatable            unsafe.Pointer // indices of arguments
		nonDonatableCount       uintptr
		context, callLocation   uintptr
		taskCount, tasks        uintptr
		incarnations            uintptr
	}
	executeArgs struct {
		base
		executable    uintptr
		options       unsafe.Pointer
		argumentLists unsafe.Pointer // for each device the address of a list of buffers
		devices       uintptr
		arguments     uintptr
		outputLists   unsafe.Pointer // for each device the address of a list that is filled
		events        unsafe.Pointer // filled, one for each device
		device        uintptr        // 0 for those that the program was compiled for
	}
)
