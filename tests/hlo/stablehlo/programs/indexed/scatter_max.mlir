module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x6xf32>, %arg1: tensor<2xi32>, %arg2: tensor<3x2xf32>) -> (tensor<3x6xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_0 = stablehlo.constant dense<6> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2xi1>, tensor<2xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %6 = "stablehlo.scatter"(%arg0, %5, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %7 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<3x6xf32>, tensor<2x1xi32>, tensor<3x2xf32>) -> tensor<3x6xf32>
    return %6 : tensor<3x6xf32>
  }
}
// argument: {{-1.88926053, -0.783853292, -0.555422664, 0.0325348154, -0.586284161, 0.933214605}, {-0.0582761168, 0.0170141608, 0.0135381734, 0.707985461, -0.471620709, 1.12239373}, {0.4600586, 0.154036939, 0.0417364873, 0.520303965, 1.01539159, 0.945527554}}
// argument: {3, 5}
// argument: {{0.87671876, 0.118358187}, {1.25249016, -0.0266065076}, {-2.07513928, 1.33788252}}
// result: {{-1.88926053, -0.783853292, -0.555422664, 0.87671876, -0.586284161, 0.933214605}, {-0.0582761168, 0.0170141608, 0.0135381734, 1.25249016, -0.471620709, 1.12239373}, {0.4600586, 0.154036939, 0.0417364873, 0.520303965, 1.01539159, 1.33788252}}
