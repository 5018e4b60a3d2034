module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<6xi1> {jax.result_info = "result[1]"}, tensor<6xi1> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.compare GT, %arg0, %arg1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %1 = call @_where(%0, %arg0, %arg1) : (tensor<6xi1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %2 = stablehlo.compare GT, %arg0, %arg1, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.compare GT, %arg0, %3, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %5 = stablehlo.and %2, %4 : tensor<6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.divide %arg0, %6 : tensor<6xf32>
    %8 = stablehlo.compare NE, %7, %7, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    return %1, %5, %8 : tensor<6xf32>, tensor<6xi1>, tensor<6xi1>
  }
  func.func private @_where(%arg0: tensor<6xi1>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6xi1>, tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// argument: {0.466178775, -1.24426973, -1.17291641, 1.82459056, 0.252423882, -1.41725552}
// argument: {0.348132014, -0.362123609, -1.84341395, -2.29018807, -1.60266674, 0.271792531}
// result: {0.466178775, -0.362123609, -1.17291641, 1.82459056, 0.252423882, 0.271792531}
// result: {true, false, false, true, true, false}
// result: {false, false, false, false, false, false}
