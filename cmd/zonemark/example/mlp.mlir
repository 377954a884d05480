// Two layers: a matrix product with ReLU, a matrix product, and softmax. Three dispatches.
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @mlp(%x: tensor<64x256xf32>, %w1: tensor<256x512xf32>, %w2: tensor<512x128xf32>) -> tensor<64x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty1 = tensor.empty() : tensor<64x512xf32>
  %init1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<64x512xf32>) -> tensor<64x512xf32>
  %product1 = linalg.matmul ins(%x, %w1 : tensor<64x256xf32>, tensor<256x512xf32>) outs(%init1 : tensor<64x512xf32>) -> tensor<64x512xf32>
  %hidden = linalg.generic {indexing_maps = [#identity, #identity], iterator_types = ["parallel", "parallel"]}
      ins(%product1 : tensor<64x512xf32>) outs(%empty1 : tensor<64x512xf32>) {
    ^bb0(%in: f32, %out: f32):
      %relu = arith.maximumf %in, %zero : f32
      linalg.yield %relu : f32
  } -> tensor<64x512xf32>
  %empty2 = tensor.empty() : tensor<64x128xf32>
  %init2 = linalg.fill ins(%zero : f32) outs(%empty2 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %product2 = linalg.matmul ins(%hidden, %w2 : tensor<64x512xf32>, tensor<512x128xf32>) outs(%init2 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %result = linalg.softmax dimension(1) ins(%product2 : tensor<64x128xf32>) outs(%empty2 : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %result : tensor<64x128xf32>
}
