module @jit_norm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x6xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<4x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %cst_2 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<4x1xf32>
    %11 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %12 = stablehlo.subtract %arg0, %11 : tensor<4x6xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x1xf32>
    %14 = stablehlo.add %10, %13 : tensor<4x1xf32>
    %15 = stablehlo.rsqrt %14 : tensor<4x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x6xf32>
    %17 = stablehlo.multiply %12, %16 : tensor<4x6xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<4x6xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<4x6xf32>
    %21 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<4x6xf32>
    %23 = stablehlo.add %20, %22 : tensor<4x6xf32>
    return %23 : tensor<4x6xf32>
  }
}
// argument: {{0.233901337, -0.00443170313, -1.36230671, 0.0671212971, -1.34286046, -0.616477609}, {-0.294353604, -2.07527328, 0.0915074497, 0.150983348, -0.158024192, -0.424317271}, {-0.373603672, -0.976539493, -0.269700378, -0.552611828, 0.091685392, -1.20413613}, {0.235589907, 0.14321889, -0.141562834, -0.439204812, 0.552339911, -1.66460168}}
// argument: {0.460453331, 0.243037462, 0.283376306, 0.383312583, -0.653644383, -0.259460062}
// argument: {0.637058318, 0.430639237, 0.206712767, -1.51432025, 0.537887096, 1.16947103}
// result: {{1.15599549, 0.616098404, -0.164604083, -1.17993855, 1.37496865, 1.21396339}, {0.733143568, -0.0931105986, 0.410971045, -1.20776963, 0.283216774, 1.16008282}, {0.821442366, 0.190494806, 0.38799575, -1.51884651, -0.424265683, 1.56183743}, {0.929367959, 0.553578615, 0.237369224, -1.63216496, -0.166174561, 1.693205}}
