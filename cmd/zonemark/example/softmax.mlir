// Softmax over the rows of 128 x 1024 elements.
func.func @softmax_f32(%a: tensor<128x1024xf32>) -> tensor<128x1024xf32> {
  %empty = tensor.empty() : tensor<128x1024xf32>
  %result = linalg.softmax dimension(1) ins(%a : tensor<128x1024xf32>) outs(%empty : tensor<128x1024xf32>) -> tensor<128x1024xf32>
  return %result : tensor<128x1024xf32>
}
