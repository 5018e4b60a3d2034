module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x4x4x3xf32>) -> (tensor<1x2x2x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %4 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<1x4x4x3xf32>, tensor<f32>) -> tensor<1x2x2x3xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x2x2x3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1x2x2x3xf32>
    return %3 : tensor<1x2x2x3xf32>
  }
}
// argument: {{{{0.305943221, 1.41031766, -0.018964693}, {2.09932494, -0.882021248, 0.694050193}, {-1.00182676, 1.817101, -0.330565453}, {-0.0581892729, 0.924236894, 1.2553407}}, {{-1.11187685, -0.346158981, -1.39492333}, {0.137305155, -0.101372533, -0.348934025}, {-0.684461355, -0.385906458, -0.74639535}, {0.528961837, 1.51595008, -1.93072414}}, {{-0.11596752, -0.418171763, 0.492368579}, {-0.951767027, -0.146435827, -1.03959215}, {0.696697831, 0.0992746279, -0.161474571}, {0.370187938, -0.246483311, -1.55382097}}, {{0.595730424, 0.288270175, -0.154079601}, {0.984924912, 1.21849561, -1.09228265}, {-0.781076074, 1.54728508, 1.41885185}, {-0.738393128, -1.18071008, -0.63756758}}}}
// result: {{{{0.357674122, 0.0201912243, -0.26719296}, {-0.303878903, 0.967845321, -0.438086063}}, {{0.128230184, 0.235539541, -0.448396444}, {-0.113145873, 0.054841578, -0.23350282}}}}
