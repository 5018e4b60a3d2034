module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x6x6x2xf32>) -> (tensor<1x6x6x2xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %7 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<1x6x6x2xf32>, tensor<f32>) -> tensor<1x3x3x2xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x3x3x2xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<1x3x3x2xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x3x3x2xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<1x3x3x2xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = "stablehlo.select_and_scatter"(%arg0, %5, %cst_2) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %7 = stablehlo.compare GE, %arg1, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }, {
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %7 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<1x6x6x2xf32>, tensor<1x3x3x2xf32>, tensor<f32>) -> tensor<1x6x6x2xf32>
    return %6 : tensor<1x6x6x2xf32>
  }
}
// argument: {{{{0.348779738, 0.706113815}, {0.2164637, 1.57111013}, {1.21416295, -0.825582385}, {0.124482341, -0.83552599}, {0.579555929, -0.867148221}, {0.923311293, 0.388145119}}, {{0.970834613, -0.14508462}, {-1.45629323, 1.76583517}, {-0.172568515, 1.37669003}, {0.430182338, 0.673912287}, {1.82974911, 0.340235293}, {1.40023136, -1.48432553}}, {{0.871100128, -0.241887078}, {-0.134067357, 0.00871636253}, {0.346527129, 1.65716052}, {-1.85371315, 0.044040177}, {-0.71648705, 1.16581404}, {-0.423091769, 0.456770062}}, {{-0.397503763, 0.668058634}, {1.01480329, -0.397399992}, {0.0490755178, -1.42036021}, {0.305399776, 0.856267929}, {-0.555405021, 1.12036276}, {-2.07331038, -1.85133541}}, {{-1.38824236, -0.484794796}, {0.0186185483, -0.0788645521}, {-0.0670919493, 0.723576009}, {-0.472119838, -1.26357555}, {-1.24378705, 2.11266494}, {-2.35211635, -0.176328585}}, {{1.45790696, 0.483365625}, {-0.829556227, 0.002185978}, {0.863918781, 1.20814884}, {-0.899341226, 0.760458171}, {0.252500564, 1.10440481}, {1.39041543, -0.343305469}}}}
// result: {{{{0, 0}, {0, 0}, {2.42832589, 0}, {0, 0}, {0, 0}, {0, 0.776290238}}, {{1.94166923, 0}, {0, 3.53167033}, {0, 2.75338006}, {0, 0}, {3.65949821, 0}, {0, 0}}, {{0, 0}, {0, 0}, {0.693054259, 3.31432104}, {0, 0}, {0, 2.33162808}, {-0.846183538, 0}}, {{0, 1.33611727}, {2.02960658, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}, {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 4.22532988}, {0, 0}}, {{2.91581392, 0.96673125}, {0, 0}, {1.72783756, 2.41629767}, {0, 0}, {0, 0}, {2.78083086, 0}}}}
