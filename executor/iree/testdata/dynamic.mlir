func.func @dyn(%a: tensor<?x4xf32>, %s: f32) -> (tensor<?x4xf32>, i32) {
  %c7 = arith.constant 7 : i32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%d) : tensor<?x4xf32>
  %f = linalg.fill ins(%s : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = arith.mulf %a, %f : tensor<?x4xf32>
  return %r, %c7 : tensor<?x4xf32>, i32
}
func.func @other(%a: tensor<4xi32>) -> tensor<4xi32> {
  %r = arith.addi %a, %a : tensor<4xi32>
  return %r : tensor<4xi32>
}
