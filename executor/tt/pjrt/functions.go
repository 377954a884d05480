package pjrt

// function is an entry of the function table of PJRT_Api. New functions are only appended to the table, so an index is
// valid in every version that has it.
type function struct {
	index int
	name  string // in pjrt_c_api.h without the prefix PJRT_
}

// functionCount is the number of entries that are read of a table.
const functionCount = 92

// These are the functions that this package calls.
var (
	errorDestroy                  = function{0, "Error_Destroy"}
	errorMessage                  = function{1, "Error_Message"}
	errorGetCode                  = function{2, "Error_GetCode"}
	pluginInitialize              = function{3, "Plugin_Initialize"}
	pluginAttributes              = function{4, "Plugin_Attributes"}
	eventDestroy                  = function{5, "Event_Destroy"}
	eventIsReady                  = function{6, "Event_IsReady"}
	eventError                    = function{7, "Event_Error"}
	eventAwait                    = function{8, "Event_Await"}
	eventOnReady                  = function{9, "Event_OnReady"}
	clientCreate                  = function{10, "Client_Create"}
	clientDestroy                 = function{11, "Client_Destroy"}
	clientPlatformName            = function{12, "Client_PlatformName"}
	clientPlatformVersion         = function{14, "Client_PlatformVersion"}
	clientAddressableDevices      = function{16, "Client_AddressableDevices"}
	clientCompile                 = function{20, "Client_Compile"}
	clientBufferFromHostBuffer    = function{22, "Client_BufferFromHostBuffer"}
	deviceDescriptionID           = function{23, "DeviceDescription_Id"}
	deviceDescriptionKind         = function{26, "DeviceDescription_Kind"}
	deviceGetDescription          = function{29, "Device_GetDescription"}
	executableDestroy             = function{40, "Executable_Destroy"}
	executableNumOutputs          = function{44, "Executable_NumOutputs"}
	executableGetCostAnalysis     = function{46, "Executable_GetCostAnalysis"}
	executableOptimizedProgram    = function{48, "Executable_OptimizedProgram"}
	executableSerialize           = function{49, "Executable_Serialize"}
	loadedExecutableDestroy       = function{50, "LoadedExecutable_Destroy"}
	loadedExecutableGetExecutable = function{51, "LoadedExecutable_GetExecutable"}
	loadedExecutableExecute       = function{55, "LoadedExecutable_Execute"}
	executableDeserializeAndLoad  = function{56, "Executable_DeserializeAndLoad"}
	bufferDestroy                 = function{58, "Buffer_Destroy"}
	bufferToHostBuffer            = function{70, "Buffer_ToHostBuffer"}
	bufferReadyEvent              = function{72, "Buffer_ReadyEvent"}
	executableOutputElementTypes  = function{90, "Executable_OutputElementTypes"}
	executableOutputDimensions    = function{91, "Executable_OutputDimensions"}
)

// String returns the function's name in pjrt_c_api.h.
func (f function) String() string { return "PJRT_" + f.name }
