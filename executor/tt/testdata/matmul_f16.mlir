func.func @main(%a: tensor<3x4xf16>, %b: tensor<4x2xf16>) -> tensor<3x2xf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xf16>, tensor<4x2xf16>) -> tensor<3x2xf16>
  return %0 : tensor<3x2xf16>
}
