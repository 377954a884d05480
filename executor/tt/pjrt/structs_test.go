package pjrt

import (
	"testing"
	"unsafe"
)

// TestLayouts checks sizes and offsets against those of pjrt_c_api.h, version 0.81, on 64-bit machines.
func TestLayouts(t *testing.T) {
	var (
		bufferFromHost bufferFromHostArgs
		toHost         toHostArgs
		execute        executeArgs
		options        executeOptions
		create         clientCreateArgs
		compile        compileArgs
		program        programArgs
		optimized      optimizedProgram
		dimensions     outputDimensionsArgs
		named          namedValue
	)
	for _, c := range []struct {
		what      string
		got, want uintptr
	}{
		{"PJRT_Api up to its functions", unsafe.Sizeof(apiHeader{}), 40},
		{"PJRT_Error_Message_Args", unsafe.Sizeof(errorMessageArgs{}), 40},
		{"PJRT_Error_GetCode_Args", unsafe.Sizeof(errorGetCodeArgs{}), 32},
		{"PJRT_Plugin_Initialize_Args", unsafe.Sizeof(pluginInitializeArgs{}), 16},
		{"PJRT_Event_Await_Args", unsafe.Sizeof(handleArgs{}), 24},
		{"PJRT_Event_IsReady_Args", unsafe.Sizeof(isReadyArgs{}), 32},
		{"PJRT_Event_IsReady_Args.is_ready", unsafe.Offsetof(isReadyArgs{}.ready), 24},
		{"PJRT_Event_OnReady_Args", unsafe.Sizeof(onReadyArgs{}), 40},
		{"PJRT_Buffer_ReadyEvent_Args", unsafe.Sizeof(readyEventArgs{}), 32},
		{"PJRT_Buffer_ReadyEvent_Args.event", unsafe.Offsetof(readyEventArgs{}.event), 24},
		{"PJRT_Client_Create_Args", unsafe.Sizeof(create), 88},
		{"PJRT_Client_Create_Args.client", unsafe.Offsetof(create.client), 64},
		{"PJRT_Client_PlatformName_Args", unsafe.Sizeof(clientTextArgs{}), 40},
		{"PJRT_Client_AddressableDevices_Args", unsafe.Sizeof(clientDevicesArgs{}), 40},
		{"PJRT_DeviceDescription_Id_Args", unsafe.Sizeof(deviceIDArgs{}), 32},
		{"PJRT_Program", unsafe.Sizeof(program), 48},
		{"PJRT_Program as an answer", unsafe.Sizeof(optimized), 48},
		{"PJRT_Client_Compile_Args", unsafe.Sizeof(compile), 56},
		{"PJRT_Client_Compile_Args.executable", unsafe.Offsetof(compile.executable), 48},
		{"PJRT_Executable_Serialize_Args", unsafe.Sizeof(serializeArgs{}), 56},
		{"PJRT_Executable_Serialize_Args.serialized_executable_deleter", unsafe.Offsetof(serializeArgs{}.deleter), 48},
		{"PJRT_Executable_DeserializeAndLoad_Args", unsafe.Sizeof(deserializeArgs{}), 64},
		{"PJRT_Executable_DeserializeAndLoad_Args.loaded_executable", unsafe.Offsetof(deserializeArgs{}.executable),
			40},
		{"PJRT_Client_BufferFromHostBuffer_Args", unsafe.Sizeof(bufferFromHost), 120},
		{"PJRT_Client_BufferFromHostBuffer_Args.done", unsafe.Offsetof(bufferFromHost.done), 104},
		{"PJRT_Client_BufferFromHostBuffer_Args.buffer", unsafe.Offsetof(bufferFromHost.buffer), 112},
		{"PJRT_LoadedExecutable_Execute_Args", unsafe.Sizeof(execute), 80},
		{"PJRT_ExecuteOptions", unsafe.Sizeof(options), 112},
		{"PJRT_ExecuteOptions.non_donatable_input_indices", unsafe.Offsetof(options.nonDonatable), 56},
		{"PJRT_Buffer_ToHostBuffer_Args", unsafe.Sizeof(toHost), 56},
		{"PJRT_Buffer_ToHostBuffer_Args.event", unsafe.Offsetof(toHost.done), 48},
		{"PJRT_Executable_OutputDimensions_Args", unsafe.Sizeof(dimensions), 48},
		{"PJRT_NamedValue", unsafe.Sizeof(named), 56},
		{"PJRT_NamedValue.value", unsafe.Offsetof(named.value), 40},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.what, c.got, c.want)
		}
	}
}
