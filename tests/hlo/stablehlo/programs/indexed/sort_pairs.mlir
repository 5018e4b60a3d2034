module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xi32>, %arg1: tensor<9xf32>) -> (tensor<9xi32> {jax.result_info = "result[0]"}, tensor<9xf32> {jax.result_info = "result[1]"}) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<f32>, %arg5: tensor<f32>):
      %1 = stablehlo.compare LT, %arg2, %arg3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<9xi32>, tensor<9xf32>) -> (tensor<9xi32>, tensor<9xf32>)
    return %0#0, %0#1 : tensor<9xi32>, tensor<9xf32>
  }
}
// argument: {0, 1, 0, 3, 3, 3, 2, 3, 3}
// argument: {-0.32785067, -1.45612788, 0.89891535, 1.15266478, 2.82903409, 0.878317475, -0.592849612, -0.871665001, -3.45172811}
// result: {0, 0, 1, 2, 3, 3, 3, 3, 3}
// result: {-0.32785067, 0.89891535, -1.45612788, -0.592849612, 1.15266478, 2.82903409, 0.878317475, -0.871665001, -3.45172811}
