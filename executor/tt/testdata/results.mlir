// Several results of several types, arguments with attributes, one of them donated, and functions before the entry.
module @results attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func private @twice(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func public @main(%arg0: tensor<2x2xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2x2xf32> {mhlo.sharding = "{replicated}"}, %arg2: tensor<i32>)
      -> (tensor<2x2xf32> {jax.result_info = "result[0]"}, tensor<2x2xi1> {jax.result_info = "a \"quoted\" name ) }"}, tensor<complex<f32>>, tensor<i32>) {
    %0 = call @twice(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.compare GT, %arg0, %arg1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>
    %2 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %3 = stablehlo.complex %2, %2 : tensor<complex<f32>>
    return %0, %1, %3, %arg2 : tensor<2x2xf32>, tensor<2x2xi1>, tensor<complex<f32>>, tensor<i32>
  }
}
