func.func @main(%a: tensor<3x4xi32>, %b: tensor<4x2xi32>) -> tensor<3x2xi32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<3x4xi32>, tensor<4x2xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
