package setup

import (
	_ "embed"
)

// The pinned packages, in pip's format.
var (
	//go:embed requirements/halide.txt
	halideRequirements string
	//go:embed requirements/hexagon.txt
	hexagonRequirements string
	//go:embed requirements/iree.txt
	ireeRequirements string
	//go:embed requirements/cmake.txt
	cmakeRequirements string
	//go:embed requirements/models.txt
	modelsRequirements string
	//go:embed requirements/onnx.txt
	onnxRequirements string
	//go:embed requirements/pjrt-cpu.txt
	pjrtCPURequirements string
)
