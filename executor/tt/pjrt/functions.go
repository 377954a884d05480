package pjrt

import "fmt"

// function is an index into the function table of PJRT_Api. New functions are only appended to the table, so an index
// is valid in every version that has it.
type function int

// These are the functions that this package calls.
const (
	errorDestroy                  function = 0
	errorMessage                  function = 1
	errorGetCode                  function = 2
	pluginInitialize              function = 3
	pluginAttributes              function = 4
	eventDestroy                  function = 5
	eventIsReady                  function = 6
	eventError                    function = 7
	eventAwait                    function = 8
	eventOnReady                  function = 9
	clientCreate                  function = 10
	clientDestroy                 function = 11
	clientPlatformName            function = 12
	clientPlatformVersion         function = 14
	clientAddressableDevices      function = 16
	clientCompile                 function = 20
	clientBufferFromHostBuffer    function = 22
	deviceDescriptionID           function = 23
	deviceDescriptionKind         function = 26
	deviceGetDescription          function = 29
	executableDestroy             function = 40
	executableNumOutputs          function = 44
	executableGetCostAnalysis     function = 46
	executableOptimizedProgram    function = 48
	executableSerialize           function = 49
	loadedExecutableDestroy       function = 50
	loadedExecutableGetExecutable function = 51
	loadedExecutableExecute       function = 55
	executableDeserializeAndLoad  function = 56
	bufferDestroy                 function = 58
	bufferToHostBuffer            function = 70
	bufferReadyEvent              function = 72
	executableOutputElementTypes  function = 90
	executableOutputDimensions    function = 91
	functionCount                          = 92 // number of entries that are read of a table
)

// name returns the name in pjrt_c_api.h without the prefix PJRT_.
func (f function) name() string {
	switch f {
	case errorDestroy:
		return "Error_Destroy"
	case errorMessage:
		return "Error_Message"
	case errorGetCode:
		return "Error_GetCode"
	case pluginInitialize:
		return "Plugin_Initialize"
	case pluginAttributes:
		return "Plugin_Attributes"
	case eventDestroy:
		return "Event_Destroy"
	case eventIsReady:
		return "Event_IsReady"
	case eventError:
		return "Event_Error"
	case eventAwait:
		return "Event_Await"
	case eventOnReady:
		return "Event_OnReady"
	case clientCreate:
		return "Client_Create"
	case clientDestroy:
		return "Client_Destroy"
	case clientPlatformName:
		return "Client_PlatformName"
	case clientPlatformVersion:
		return "Client_PlatformVersion"
	case clientAddressableDevices:
		return "Client_AddressableDevices"
	case clientCompile:
		return "Client_Compile"
	case clientBufferFromHostBuffer:
		return "Client_BufferFromHostBuffer"
	case deviceDescriptionID:
		return "DeviceDescription_Id"
	case deviceDescriptionKind:
		return "DeviceDescription_Kind"
	case deviceGetDescription:
		return "Device_GetDescription"
	case executableDestroy:
		return "Executable_Destroy"
	case executableNumOutputs:
		return "Executable_NumOutputs"
	case executableGetCostAnalysis:
		return "Executable_GetCostAnalysis"
	case executableOptimizedProgram:
		return "Executable_OptimizedProgram"
	case executableSerialize:
		return "Executable_Serialize"
	case executableDeserializeAndLoad:
		return "Executable_DeserializeAndLoad"
	case loadedExecutableDestroy:
		return "LoadedExecutable_Destroy"
	case loadedExecutableGetExecutable:
		return "LoadedExecutable_GetExecutable"
	case loadedExecutableExecute:
		return "LoadedExecutable_Execute"
	case bufferDestroy:
		return "Buffer_Destroy"
	case bufferToHostBuffer:
		return "Buffer_ToHostBuffer"
	case bufferReadyEvent:
		return "Buffer_ReadyEvent"
	case executableOutputElementTypes:
		return "Executable_OutputElementTypes"
	case executableOutputDimensions:
		return "Executable_OutputDimensions"
	}
	return fmt.Sprintf("function %d", int(f))
}

// String returns the function's name in pjrt_c_api.h.
func (f function) String() string { return "PJRT_" + f.name() }
