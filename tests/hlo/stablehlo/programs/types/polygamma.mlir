module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result"}) {
    %0 = chlo.polygamma %arg0, %arg1 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// argument: {0, 1, 2, 3, 1, 4}
// argument: {1.5, 0.5, 2.25, 6, 30, 0.75}
// result: {0.036489974, 4.9348022, -0.303739938, 0.0118278282, 0.0338950604, -102.800606}
