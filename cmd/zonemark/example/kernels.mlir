// Dispatches of the shipped example: a matrix multiplication, a softmax over rows, and a small perceptron of two layers. The modules beside this file
// were made of it by iree-compile 3.13.0 (PyPI package iree-base-compiler), for any processor of either kind:
//
//   F="--iree-hal-target-device=local --iree-hal-local-target-device-backends=llvm-cpu --iree-llvmcpu-debug-symbols=false"
//   iree-compile $F --iree-llvmcpu-target-triple=x86_64-unknown-linux-gnu --iree-llvmcpu-target-cpu=x86-64-v2 kernels.mlir -o kernels_amd64.vmfb
//   iree-compile $F --iree-llvmcpu-target-triple=aarch64-unknown-linux-gnu kernels.mlir -o kernels_arm64.vmfb
//
// kernels_amd64.dispatches.json was recorded by "zonemark run --mode dispatch"; for arm64 the numbers of workgroups were read from iree-dump-module.

func.func @matmul(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

func.func @softmax(%x: tensor<16x256xf32>) -> tensor<16x256xf32> {
  %empty = tensor.empty() : tensor<16x256xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<16x256xf32>) outs(%empty : tensor<16x256xf32>) -> tensor<16x256xf32>
  return %y : tensor<16x256xf32>
}

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @perceptron(%x: tensor<16x64xf32>, %w1: tensor<64x128xf32>, %w2: tensor<128x32xf32>) -> tensor<16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<16x128xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16x128xf32>) -> tensor<16x128xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<16x64xf32>, tensor<64x128xf32>) outs(%i1 : tensor<16x128xf32>) -> tensor<16x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<16x128xf32>) outs(%e1 : tensor<16x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %m = arith.maximumf %in, %zero : f32
      linalg.yield %m : f32
  } -> tensor<16x128xf32>
  %e2 = tensor.empty() : tensor<16x32xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %o = linalg.matmul ins(%r, %w2 : tensor<16x128xf32>, tensor<128x32xf32>) outs(%i2 : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %o : tensor<16x32xf32>
}
