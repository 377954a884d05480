package ttmetal

import "strings"

// What kind of work ops do.
const (
	CategoryCompute       = "compute"
	CategoryCommunication = "communication" // between devices
	CategoryLayout        = "layout"        // other shape, order or type of the same values
	CategoryMovement      = "movement"      // of values from one memory or core to others
	CategoryHost          = "host"
	CategoryOther         = "other"
)

// categoryWords are parts of the names of tt-metal's ops. The first one that a name has says the category: ops that
// join a collective with computing are computing, and "ReduceScatter" is no "Reduce".
var categoryWords = []struct {
	category string
	words    []string
}{
	{CategoryHost, []string{"(torch)"}},
	{CategoryCompute, []string{"AllGatherMatmul", "RMSAllGather", "MatmulReduceScatter", "RoutedExpert"}},
	{CategoryCommunication, []string{"AllGather", "ReduceScatter", "AllReduce", "AllToAll", "AllBroadcast", "Broadcast",
		"ReduceToRoot", "SliceReshard", "SelectiveReduceCombine", "SendAsync", "RecvAsync", "SendDirect",
		"RecvDirect"}},
	{CategoryLayout, []string{"CreateHeads", "CreateQKVHeads", "ConcatHeads", "ConcatenateHeads", "SplitQuery",
		"Reshape", "Transpose", "Permute", "Slice", "Concat", "Split", "Repeat", "Tilize", "Untilize", "Typecast",
		"FillPad", "PadDevice", "Fold"}},
	{CategoryMovement, []string{"UpdateCache", "UpdateKVCache", "FillCache", "ToSharded", "ToInterleaved", "Halo",
		"Reshard", "Move", "Copy", "Clone"}},
	{CategoryCompute, []string{"Matmul", "Conv", "SDPA", "Sdpa", "Attention", "Softmax", "Norm", "Unary", "Binary",
		"Ternary", "Where", "Reduce", "Pool", "Upsample", "UpSample", "GridSample", "Embedding", "Accumulation",
		"ArgMax", "Topk", "TopK", "IntImg", "Bincount", "Cumsum", "Eltwise", "Expert"}},
}

// Category is what kind of work the call is, by the name of its op.
func (c *Call) Category() string {
	for _, group := range categoryWords {
		for _, word := range group.words {
			if strings.Contains(c.Op, word) {
				return group.category
			}
		}
	}
	if c.HostOnly {
		return CategoryHost
	}
	return CategoryOther
}
