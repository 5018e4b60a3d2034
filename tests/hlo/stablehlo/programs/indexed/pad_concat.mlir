module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2xf32>, %arg1: tensor<4x5xf32>) -> (tensor<5x5xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [1, 0], high = [-1, 1], interior = [0, 2] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x5xf32>
    %1 = stablehlo.slice %arg1 [0:4:2, 0:5] : (tensor<4x5xf32>) -> tensor<2x5xf32>
    %2 = stablehlo.reverse %1, dims = [1] : tensor<2x5xf32>
    %3 = stablehlo.concatenate %0, %2, dim = 0 : (tensor<3x5xf32>, tensor<2x5xf32>) -> tensor<5x5xf32>
    return %3 : tensor<5x5xf32>
  }
}
// argument: {{-1.33341515, 0.361329377}, {-0.182911441, -0.818666279}, {0.434287041, -0.4045057}}
// argument: {{-1.57048965, -1.11115527, 1.76917005, -1.51492894, 0.222802192}, {0.610055923, 0.639189065, -1.22547162, -0.32153818, 0.140846729}, {0.800209284, -0.644960821, -1.16347456, 1.00257409, 1.10515368}, {0.370072544, -0.608787179, 0.406761646, 0.109310701, 0.837628663}}
// result: {{0.5, 0.5, 0.5, 0.5, 0.5}, {-1.33341515, 0.5, 0.5, 0.361329377, 0.5}, {-0.182911441, 0.5, 0.5, -0.818666279, 0.5}, {0.222802192, -1.51492894, 1.76917005, -1.11115527, -1.57048965}, {1.10515368, 1.00257409, -1.16347456, -0.644960821, 0.800209284}}
