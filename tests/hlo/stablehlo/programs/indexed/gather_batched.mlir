module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5x2xf32>, %arg1: tensor<3x2xi32>) -> (tensor<3x2x2xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x2xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3x2xi32>, tensor<3x2xi32>) -> tensor<3x2xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x2xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3x2xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3x2xi1>, tensor<3x2xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x2xi32>) -> tensor<3x2x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x5x2xf32>, tensor<3x2x1xi32>) -> tensor<3x2x2xf32>
    return %6 : tensor<3x2x2xf32>
  }
}
// argument: {{{-1.08666646, 0.167632967}, {0.34494549, -0.258359462}, {-0.769320309, 0.542583048}, {2.48173046, -0.302461982}, {0.336739451, 0.377392977}}, {{-2.5664649, 0.123862348}, {-0.70651871, 1.38468802}, {-0.253985822, -0.777535796}, {-0.218499333, 0.166561052}, {-0.559905589, -0.0526627786}}, {{-1.35415983, -0.225253448}, {0.775672853, 1.96917224}, {0.706514895, 0.271933854}, {1.18376589, 1.01910865}, {1.66384268, 1.08265591}}}
// argument: {{2, 4}, {2, 0}, {0, 2}}
// result: {{{-0.769320309, 0.542583048}, {0.336739451, 0.377392977}}, {{-0.253985822, -0.777535796}, {-2.5664649, 0.123862348}}, {{-1.35415983, -0.225253448}, {0.706514895, 0.271933854}}}
