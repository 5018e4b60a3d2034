module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x8xf32>) -> (tensor<2x3xf32> {jax.result_info = "result[0]"}, tensor<2x3xi32> {jax.result_info = "result[1]"}) {
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
    return %values, %indices : tensor<2x3xf32>, tensor<2x3xi32>
  }
}
// argument: {{-0.594889164, -0.176973879, 0.967807233, 0.611600161, 0.58834976, 0.213627607, 0.66091001, 1.44760001}, {-1.06487691, -0.457300395, -1.38853157, 1.61866033, 1.29686916, 0.752284169, -1.19855142, 0.172944799}}
// result: {{1.44760001, 0.967807233, 0.66091001}, {1.61866033, 1.29686916, 0.752284169}}
// result: {{7, 2, 6}, {3, 4, 5}}
