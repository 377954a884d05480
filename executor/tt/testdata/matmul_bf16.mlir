func.func @main(%a: tensor<3x4xbf16>, %b: tensor<4x2xbf16>) -> tensor<3x2xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xbf16>, tensor<4x2xbf16>) -> tensor<3x2xbf16>
  return %0 : tensor<3x2xbf16>
}
