module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x3xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4x3xf32>) -> (tensor<5x3xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<4xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<4xi1>, tensor<4xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %7 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<5x3xf32>
    return %6 : tensor<5x3xf32>
  }
}
// argument: {{0.302139193, 0.200321093, -0.782428801}, {-2.10363579, -0.671678603, -2.02603459}, {0.0679591075, 0.00453638798, -1.67557454}, {0.688168168, 0.866858065, 0.0958517864}, {1.66766632, 1.8716656, -1.20599401}}
// argument: {1, 4, 4, 2}
// argument: {{0.418319762, 0.934447527, -0.719167769}, {-0.592372417, -0.826672137, -0.754902363}, {-0.0985117331, -1.45182419, -1.04572737}, {0.577528298, -0.0709627122, 0.382954776}}
// result: {{0.302139193, 0.200321093, -0.782428801}, {-1.68531609, 0.262768924, -2.7452023}, {0.645487428, -0.0664263219, -1.29261971}, {0.688168168, 0.866858065, 0.0958517864}, {0.976782143, -0.406830788, -3.00662374}}
