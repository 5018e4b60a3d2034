module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result"}) {
    %0 = chlo.zeta %arg0, %arg1 : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// argument: {1.5, 2, 3, 4.5, 9, 2}
// argument: {1, 0.5, 2.25, 6, 0.75, 30}
// result: {2.61237535, 4.9348022, 0.151869969, 0.000716889083, 13.3249101, 0.0338950604}
