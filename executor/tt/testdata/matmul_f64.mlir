func.func @main(%a: tensor<3x4xf64>, %b: tensor<4x2xf64>) -> tensor<3x2xf64> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xf64>, tensor<4x2xf64>) -> tensor<3x2xf64>
  return %0 : tensor<3x2xf64>
}
