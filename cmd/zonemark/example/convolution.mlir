// A convolution of a 32 x 32 image of 64 channels by 64 filters of 3 x 3.
func.func @convolution_f32(%image: tensor<1x32x32x64xf32>, %filter: tensor<3x3x64x64xf32>) -> tensor<1x30x30x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x30x30x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x30x30x64xf32>) -> tensor<1x30x30x64xf32>
  %result = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%image, %filter : tensor<1x32x32x64xf32>, tensor<3x3x64x64xf32>) outs(%init : tensor<1x30x30x64xf32>) -> tensor<1x30x30x64xf32>
  return %result : tensor<1x30x30x64xf32>
}
