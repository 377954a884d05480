func.func @mixed(%a: i32, %b: i64, %c: f32, %t: tensor<i32>) -> (i32, i64, f32, tensor<i32>) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i64
  %half = arith.constant 0.5 : f32
  %x = arith.addi %a, %one : i32
  %y = arith.muli %b, %two : i64
  %z = arith.mulf %c, %half : f32
  return %x, %y, %z, %t : i32, i64, f32, tensor<i32>
}
func.func @widths(%a: tensor<4xi8>, %b: tensor<4xi16>, %c: tensor<2xi64>, %d: tensor<2xf64>, %e: tensor<4xf16>, %f: tensor<4xbf16>, %g: tensor<4xi1>) ->
    (tensor<4xi8>, tensor<4xi16>, tensor<2xi64>, tensor<2xf64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xi1>) {
  return %a, %b, %c, %d, %e, %f, %g : tensor<4xi8>, tensor<4xi16>, tensor<2xi64>, tensor<2xf64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xi1>
}
func.func @rows(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = arith.addf %a, %a : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
