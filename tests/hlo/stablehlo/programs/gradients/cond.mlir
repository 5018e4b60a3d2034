module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare GT, %0, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
    %3:3 = "stablehlo.case"(%2) ({
      %9 = stablehlo.sine %arg0 : tensor<4xf32>
      %10 = stablehlo.cosine %arg0 : tensor<4xf32>
      %11 = stablehlo.subtract %9, %arg1 : tensor<4xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
      stablehlo.return %11, %10, %12 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }, {
      %9 = stablehlo.multiply %arg0, %arg1 : tensor<4xf32>
      stablehlo.return %9, %arg1, %arg0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    }) : (tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.multiply %4, %3#0 : tensor<4xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<4xf32>
    %8:2 = "stablehlo.case"(%2) ({
      %9 = stablehlo.negate %7 : tensor<4xf32>
      %10 = stablehlo.multiply %7, %3#1 : tensor<4xf32>
      stablehlo.return %10, %9 : tensor<4xf32>, tensor<4xf32>
    }, {
      %9 = stablehlo.multiply %3#2, %7 : tensor<4xf32>
      %10 = stablehlo.multiply %7, %3#1 : tensor<4xf32>
      stablehlo.return %10, %9 : tensor<4xf32>, tensor<4xf32>
    }) : (tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %8#0, %8#1 : tensor<4xf32>, tensor<4xf32>
  }
}
// argument: {0.751433253, 1.12908101, 0.533938348, -0.52096808}
// argument: {1.05961192, -0.541041493, -0.66694957, 1.47263801}
// result: {1.68738461, 0.661022484, 0.475014746, -2.25960803}
// result: {1.1966238, -1.37946522, -0.380281508, 0.799370706}
