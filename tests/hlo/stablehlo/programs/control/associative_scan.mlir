module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<7xf32>) -> (tensor<7xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:6:2] : (tensor<7xf32>) -> tensor<3xf32>
    %1 = stablehlo.slice %arg0 [1:7:2] : (tensor<7xf32>) -> tensor<3xf32>
    %2 = stablehlo.add %0, %1 : tensor<3xf32>
    %3 = stablehlo.slice %2 [0:2:2] : (tensor<3xf32>) -> tensor<1xf32>
    %4 = stablehlo.slice %2 [1:3:2] : (tensor<3xf32>) -> tensor<1xf32>
    %5 = stablehlo.add %3, %4 : tensor<1xf32>
    %6 = stablehlo.slice %2 [2:3:2] : (tensor<3xf32>) -> tensor<1xf32>
    %7 = stablehlo.add %5, %6 : tensor<1xf32>
    %8 = stablehlo.slice %2 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %9 = stablehlo.concatenate %8, %7, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.pad %9, %cst, low = [0], high = [0], interior = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.pad %5, %cst_0, low = [1], high = [1], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<3xf32>
    %12 = stablehlo.add %10, %11 : tensor<3xf32>
    %13 = stablehlo.slice %arg0 [2:7:2] : (tensor<7xf32>) -> tensor<3xf32>
    %14 = stablehlo.add %12, %13 : tensor<3xf32>
    %15 = stablehlo.slice %arg0 [0:1] : (tensor<7xf32>) -> tensor<1xf32>
    %16 = stablehlo.concatenate %15, %14, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.pad %16, %cst_1, low = [0], high = [0], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<7xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.pad %12, %cst_2, low = [1], high = [1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
    %19 = stablehlo.add %17, %18 : tensor<7xf32>
    return %19 : tensor<7xf32>
  }
}
// argument: {0.0358029641, -0.556615472, -3.66108179, 0.0928356126, -1.89623439, 0.244188353, 1.13079369}
// result: {0.0358029641, -0.520812511, -4.1818943, -4.08905888, -5.98529339, -5.74110508, -4.61031151}
