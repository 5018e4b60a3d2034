module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x4xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<3x4x6xf32>, %arg3: tensor<3x6x4xf32>) -> (tensor<4x3xf32> {jax.result_info = "result[0]"}, tensor<3x4x6xf32> {jax.result_info = "result[1]"}, tensor<3x6x4xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x4xf32>, tensor<4x3xf32>) -> tensor<5x3xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<5xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x3xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<5x3xf32>
    %7 = stablehlo.exponential %6 : tensor<5x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<5xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x3xf32>
    %11 = stablehlo.divide %7, %10 : tensor<5x3xf32>
    %12 = stablehlo.multiply %9, %9 : tensor<5x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<5x1xf32>
    %14 = stablehlo.divide %13, %12 : tensor<5x1xf32>
    %values, %indices = chlo.top_k(%11, k = 2) : tensor<5x3xf32> -> (tensor<5x2xf32>, tensor<5x2xi32>)
    %15 = stablehlo.reshape %indices : (tensor<5x2xi32>) -> tensor<5x2x1xi32>
    %16 = call @_one_hot(%indices) : (tensor<5x2xi32>) -> tensor<5x2x3xf32>
    %17 = stablehlo.broadcast_in_dim %values, dims = [0, 1] : (tensor<5x2xf32>) -> tensor<5x2x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<5x2x1xf32>) -> tensor<5x2x3xf32>
    %19 = stablehlo.multiply %16, %18 : tensor<5x2x3xf32>
    %20 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<5x4xf32>, tensor<3x4x6xf32>) -> tensor<5x3x6xf32>
    %21 = call @relu(%20) : (tensor<5x3x6xf32>) -> tensor<5x3x6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5x3x6xf32>
    %23 = stablehlo.compare GT, %20, %22, FLOAT : (tensor<5x3x6xf32>, tensor<5x3x6xf32>) -> tensor<5x3x6xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%19 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<5x2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
    %25 = stablehlo.dot_general %21, %24, batching_dims = [0, 1] x [0, 1], contracting_dims = [] x [], precision = [HIGHEST, HIGHEST] : (tensor<5x3x6xf32>, tensor<5x3xf32>) -> tensor<5x3x6xf32>
    %26 = stablehlo.dot_general %25, %arg3, contracting_dims = [1, 2] x [0, 1], precision = [HIGHEST, HIGHEST] : (tensor<5x3x6xf32>, tensor<3x6x4xf32>) -> tensor<5x4xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
    %28 = stablehlo.multiply %27, %26 : tensor<5x4xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<5x4xf32>
    %30 = stablehlo.multiply %29, %28 : tensor<5x4xf32>
    %31 = stablehlo.dot_general %30, %25, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x4xf32>, tensor<5x3x6xf32>) -> tensor<4x3x6xf32>
    %32 = stablehlo.transpose %31, dims = [1, 2, 0] : (tensor<4x3x6xf32>) -> tensor<3x6x4xf32>
    %33 = stablehlo.dot_general %30, %arg3, contracting_dims = [1] x [2], precision = [HIGHEST, HIGHEST] : (tensor<5x4xf32>, tensor<3x6x4xf32>) -> tensor<5x3x6xf32>
    %34 = stablehlo.dot_general %33, %21, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [HIGHEST, HIGHEST] : (tensor<5x3x6xf32>, tensor<5x3x6xf32>) -> tensor<5x3xf32>
    %35 = stablehlo.dot_general %33, %24, batching_dims = [0, 1] x [0, 1], contracting_dims = [] x [], precision = [HIGHEST, HIGHEST] : (tensor<5x3x6xf32>, tensor<5x3xf32>) -> tensor<5x3x6xf32>
    %36 = stablehlo.broadcast_in_dim %34, dims = [0, 2] : (tensor<5x3xf32>) -> tensor<5x2x3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<5x3x6xf32>
    %38 = stablehlo.select %23, %35, %37 : tensor<5x3x6xi1>, tensor<5x3x6xf32>
    %39 = stablehlo.dot_general %38, %arg0, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x3x6xf32>, tensor<5x4xf32>) -> tensor<3x6x4xf32>
    %40 = stablehlo.transpose %39, dims = [0, 2, 1] : (tensor<3x6x4xf32>) -> tensor<3x4x6xf32>
    %41 = stablehlo.multiply %16, %36 : tensor<5x2x3xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.reduce(%41 init: %cst_8) applies stablehlo.add across dimensions = [2] : (tensor<5x2x3xf32>, tensor<f32>) -> tensor<5x2xf32>
    %43 = stablehlo.reshape %42 : (tensor<5x2xf32>) -> tensor<5x2x1xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%43 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<5x2x1xf32>, tensor<f32>) -> tensor<5x2xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %46 = "stablehlo.scatter"(%45, %15, %44) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %61 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %61 : tensor<f32>
    }) : (tensor<5x3xf32>, tensor<5x2x1xi32>, tensor<5x2xf32>) -> tensor<5x3xf32>
    %47 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x3xf32>
    %48 = stablehlo.multiply %46, %47 : tensor<5x3xf32>
    %49 = stablehlo.multiply %48, %7 : tensor<5x3xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<5xf32>
    %51 = stablehlo.reshape %50 : (tensor<5xf32>) -> tensor<5x1xf32>
    %52 = stablehlo.negate %51 : tensor<5x1xf32>
    %53 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x3xf32>
    %54 = stablehlo.divide %46, %53 : tensor<5x3xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%52 init: %cst_12) applies stablehlo.add across dimensions = [1] : (tensor<5x1xf32>, tensor<f32>) -> tensor<5xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0] : (tensor<5xf32>) -> tensor<5x3xf32>
    %57 = stablehlo.add %54, %56 : tensor<5x3xf32>
    %58 = stablehlo.multiply %57, %7 : tensor<5x3xf32>
    %59 = stablehlo.dot_general %58, %arg0, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x3xf32>, tensor<5x4xf32>) -> tensor<3x4xf32>
    %60 = stablehlo.transpose %59, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    return %60, %40, %32 : tensor<4x3xf32>, tensor<3x4x6xf32>, tensor<3x6x4xf32>
  }
  func.func private @_one_hot(%arg0: tensor<5x2xi32>) -> tensor<5x2x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<5x2xi32>) -> tensor<5x2x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x3xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<5x2x1xi32>) -> tensor<5x2x3xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x3xi32>) -> tensor<5x2x3xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<5x2x3xi32>, tensor<5x2x3xi32>) -> tensor<5x2x3xi1>
    %5 = stablehlo.convert %4 : (tensor<5x2x3xi1>) -> tensor<5x2x3xf32>
    return %5 : tensor<5x2x3xf32>
  }
  func.func private @relu(%arg0: tensor<5x3x6xf32>) -> tensor<5x3x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x3x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<5x3x6xf32>
    return %1 : tensor<5x3x6xf32>
  }
}
// argument: {{1.0389291, -0.174319208, 0.625639141, 0.528326571}, {-0.35317269, -1.55974591, 0.985400021, 0.170707375}, {0.983280063, -2.0126884, -1.65460932, -2.14272738}, {-0.876837671, 1.04194987, 0.565991998, -0.0341539569}, {0.131240293, 0.760788202, -0.302150369, 0.39606896}}
// argument: {{0.139954567, -2.18704271, -0.384828836}, {1.3587563, -0.395860612, -0.143089369}, {-0.606866181, -0.484632164, 1.12401223}, {-0.268085986, -1.02194905, -3.11136341}}
// argument: {{{-0.572703481, -1.96681678, -1.82374954, 0.795178056, 0.708675563, -1.91721261}, {0.851479471, 0.459358484, -0.78356874, 0.734380901, -1.6266427, -1.20442975}, {-1.43968868, -1.11150372, 0.878688812, -1.33362913, -1.15129817, -0.951698244}, {0.195463732, -0.339694262, 0.862339437, -0.711360514, -1.28942776, -0.504143178}}, {{0.034855403, -0.934108019, 0.273991257, 1.81134903, -0.588225603, 0.0362903289}, {1.3433038, -0.657803953, -0.858058512, -1.10557175, 0.385284156, 0.500810087}, {-0.163182706, 0.0265844613, 1.25709808, 0.849648774, -1.4202317, -0.029496612}, {0.084170118, 0.697953165, -0.246459529, -0.669400632, -0.483019143, -1.80384815}}, {{-0.0521540195, -0.624026716, 0.438333869, -1.05525136, -0.465812713, -1.00923908}, {-1.09752107, 0.667313397, -0.498211235, 0.410155177, -1.15402389, 0.061512433}, {-1.72533154, -0.515336394, -0.540497482, 0.543947399, 0.14057079, -0.215021625}, {0.796810627, 0.149983644, 0.49591732, 0.724031568, -0.108894803, -0.336300373}}}
// argument: {{{0.283593267, -0.460214287, 0.343382865, 1.06274748}, {0.809118032, -0.425789744, -1.32844937, -0.100946046}, {-0.170890018, 1.05877399, -0.42803961, -0.254735023}, {0.687998235, -0.523012638, -0.205545291, 1.66441309}, {1.44046605, 0.581673563, 0.221090332, -1.01422429}, {0.510289133, 0.0108010657, 0.173127145, -0.564658821}}, {{-0.0591781028, -0.231109276, 0.267666548, 1.37792468}, {0.313593149, -1.70212913, -1.01574552, -1.62815905}, {-0.839278698, 0.510321498, 0.352508157, -0.645517647}, {0.218238309, -0.803188205, -1.46549952, -1.4512161}, {-0.905245125, 1.36961591, -1.3863225, 1.19238389}, {1.27654541, -0.230472013, -0.0979501978, -0.661019385}}, {{-0.0740890801, 0.607244551, -0.0408757888, 0.944864035}, {1.13373339, 0.292165846, 0.27570799, -0.112323724}, {0.294505835, -1.16330791, 0.353313208, 0.153384268}, {-0.912073851, 2.09598041, -1.02169037, -0.918982863}, {0.225855976, -1.98546219, -0.842099309, -1.5739187}, {-1.01704979, -0.185099661, 0.26595062, 1.04869401}}}
// result: {{-0.302742153, -2.66350865, 2.96624756}, {3.51295304, -15.2569914, 11.7440176}, {-0.819478452, 8.04297829, -7.22348976}, {0.421386212, 0.252469987, -0.673856854}}
// result: {{{0.352122784, -0.519626617, 0.00258211559, 1.06102645, 0, 0}, {4.13393927, 2.23942828, -0.00306833861, 6.1506753, 0, 0}, {-1.30703819, -0.0492852628, -0.00166673574, -2.44276762, 0, 0}, {1.95513535, 0.671464264, 0.000100576726, 3.20206261, 0, 0}}, {{-0.327797443, -4.97860956, -0.54775697, -3.74493837, -0.96940881, -0.181776017}, {1.07378924, -21.6137867, -0.900594115, -19.1907215, 1.55877721, 0.0983407497}, {0.049294278, 13.7480183, 1.26814198, 10.9032087, 0.788516402, -0.02481094}, {0.279046506, 2.37160826, 0.663180053, 1.11440563, 0.522665441, -0.31105271}}, {{-0.833889723, 0, 5.4650898, -0.403373122, 7.76130342, 0}, {17.2933826, 0, -15.3371983, -1.78145027, -55.0610008, 0}, {-1.26729393, 0, -8.09266949, 1.12546611, -6.34834671, 0}, {5.90668917, 0, -12.6678877, 0.194971949, -27.1915092, 0}}}
// result: {{{1.74419951, -1.51567304, -0.591889203, 4.32205725}, {0.973559558, -0.467471361, -0.797532976, 1.67269826}, {0.439218849, -0.0512272343, -0.556860447, 0.442596555}, {1.116557, -1.07871568, -0.245057553, 2.978724}, {0, 0, 0, 0}, {0, 0, 0, 0}}, {{0.827176332, -0.282464892, -0.819194198, 1.19700611}, {-0.53257066, -4.1254487, -3.56853223, -6.39322662}, {-0.937260091, -6.80837345, -5.73499775, -10.4766836}, {-0.490211815, -6.04209137, -4.76802301, -7.72989893}, {0.263760924, -0.638930082, -0.381266862, 0.321849555}, {0.417882562, -0.819378853, -0.733671606, 0.286945015}}, {{3.88696194, -19.8330688, -10.4776564, -0.148300067}, {0, 0, 0, 0}, {1.44753838, -8.01324081, -4.31054115, -0.630201936}, {-0.188703045, -1.31236362, -1.11302984, -2.05635452}, {1.23689854, -17.8489475, -11.5578737, -10.5115786}, {0, 0, 0, 0}}}
