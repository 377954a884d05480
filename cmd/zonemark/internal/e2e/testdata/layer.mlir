// A matrix product, whose time depends on the vectors of the processor, and a sum, which waits for memory.
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @layer(%x: tensor<64x256xf32>, %w: tensor<256x512xf32>, %a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> (tensor<64x512xf32>, tensor<512x512xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x512xf32>) -> tensor<64x512xf32>
  %product = linalg.matmul ins(%x, %w : tensor<64x256xf32>, tensor<256x512xf32>) outs(%init : tensor<64x512xf32>) -> tensor<64x512xf32>
  %space = tensor.empty() : tensor<512x512xf32>
  %sum = linalg.generic {indexing_maps = [#identity, #identity, #identity], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%space : tensor<512x512xf32>) {
    ^bb0(%p: f32, %q: f32, %out: f32):
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
  } -> tensor<512x512xf32>
  return %product, %sum : tensor<64x512xf32>, tensor<512x512xf32>
}
