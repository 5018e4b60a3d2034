module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result"}) {
    %0 = chlo.digamma %arg0 : tensor<6xf32> -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// argument: {0.25, 1, 2.5, 7.25, -1.5, 20}
// result: {-4.22745353, -0.577215665, 0.703156641, 1.91045353, 0.703156641, 2.97052399}
