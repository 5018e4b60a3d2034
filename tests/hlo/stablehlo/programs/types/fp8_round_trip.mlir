module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>) -> (tensor<16xf32> {jax.result_info = "result[0]"}, tensor<16xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<16xf32>) -> tensor<16xf8E5M2>
    %1 = stablehlo.convert %0 : (tensor<16xf8E5M2>) -> tensor<16xf32>
    %2 = stablehlo.convert %arg0 : (tensor<16xf32>) -> tensor<16xf8E4M3FN>
    %3 = stablehlo.convert %2 : (tensor<16xf8E4M3FN>) -> tensor<16xf32>
    return %1, %3 : tensor<16xf32>, tensor<16xf32>
  }
}
// argument: {17.7163162, 3.58614063, 8.81195354, -5.98488998, 7.13721323, 1.53268754, -4.63184214, -0.95979315, -0.62055105, 1.91119254, 4.01391172, -5.0889039, -7.40773439, 7.47471571, -16.9655094, -6.18206644}
// result: {16, 3.5, 8, -6, 7, 1.5, -5, -1, -0.625, 2, 4, -5, -7, 7, -16, -6}
// result: {18, 3.5, 9, -6, 7, 1.5, -4.5, -0.9375, -0.625, 1.875, 4, -5, -7.5, 7.5, -16, -6}
