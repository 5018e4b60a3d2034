module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result"}) {
    %0 = chlo.next_after %arg0, %arg1 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
    %1 = stablehlo.subtract %0, %arg0 : tensor<6xf32>
    return %1 : tensor<6xf32>
  }
}
// argument: {1, -1, 0, 2, 0, -0.5}
// argument: {2, 3, -1, 1, 0, -4}
// result: {1.1920929e-07, 5.96046448e-08, -1.40129846e-45, -1.1920929e-07, 0, -5.96046448e-08}
