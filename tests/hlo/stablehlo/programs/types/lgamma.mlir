module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result"}) {
    %0 = chlo.lgamma %arg0 : tensor<6xf32> -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// argument: {0.300000012, 1, 2.5, 7.25, -1.5, 20}
// result: {1.09579754, 4.76837158e-07, 0.284682989, 7.05218744, 0.860046864, 39.3398857}
