module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xui32>, %arg1: tensor<5xui32>) -> (tensor<5xui32> {jax.result_info = "result[0]"}, tensor<5xui32> {jax.result_info = "result[1]"}, tensor<5xui32> {jax.result_info = "result[2]"}, tensor<5xui32> {jax.result_info = "result[3]"}, tensor<5xui32> {jax.result_info = "result[4]"}, tensor<5xui32> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.xor %arg0, %arg1 : tensor<5xui32>
    %c = stablehlo.constant dense<3> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<5xui32>
    %2 = stablehlo.shift_left %arg0, %1 : tensor<5xui32>
    %c_0 = stablehlo.constant dense<2> : tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<5xui32>
    %4 = stablehlo.shift_right_logical %arg0, %3 : tensor<5xui32>
    %5 = stablehlo.popcnt %arg0 : tensor<5xui32>
    %6 = stablehlo.count_leading_zeros %arg1 : tensor<5xui32>
    %7 = stablehlo.not %arg0 : tensor<5xui32>
    %8 = stablehlo.and %7, %arg1 : tensor<5xui32>
    return %0, %2, %4, %5, %6, %8 : tensor<5xui32>, tensor<5xui32>, tensor<5xui32>, tensor<5xui32>, tensor<5xui32>, tensor<5xui32>
  }
}
// argument: {660803196, 455424569, 1010460450, 1286840062, 910502702}
// argument: {1853141069, 1507020536, 1923246449, 593335862, 1025082235}
// result: {1226292785, 1123448001, 1318587987, 1877870792, 190621781}
// result: {991458272, 3643396552, 3788716304, 1704785904, 2989054320}
// result: {165200799, 113856142, 252615112, 321710015, 227625675}
// result: {16, 15, 15, 20, 15}
// result: {1, 1, 1, 2, 2}
// result: {1209315329, 1087521984, 1115686993, 592183296, 152600657}
