module @jit_moe attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x4xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<3x4x6xf32>, %arg3: tensor<3x6x4xf32>) -> (tensor<5x4xf32> {jax.result_info = "result"}) {
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
    %values, %indices = chlo.top_k(%11, k = 2) : tensor<5x3xf32> -> (tensor<5x2xf32>, tensor<5x2xi32>)
    %12 = call @_one_hot(%indices) : (tensor<5x2xi32>) -> tensor<5x2x3xf32>
    %13 = stablehlo.broadcast_in_dim %values, dims = [0, 1] : (tensor<5x2xf32>) -> tensor<5x2x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<5x2x1xf32>) -> tensor<5x2x3xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<5x2x3xf32>
    %16 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<5x4xf32>, tensor<3x4x6xf32>) -> tensor<5x3x6xf32>
    %17 = call @relu(%16) : (tensor<5x3x6xf32>) -> tensor<5x3x6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%15 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<5x2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
    %19 = stablehlo.dot_general %17, %18, batching_dims = [0, 1] x [0, 1], contracting_dims = [] x [], precision = [HIGHEST, HIGHEST] : (tensor<5x3x6xf32>, tensor<5x3xf32>) -> tensor<5x3x6xf32>
    %20 = stablehlo.dot_general %19, %arg3, contracting_dims = [1, 2] x [0, 1], precision = [HIGHEST, HIGHEST] : (tensor<5x3x6xf32>, tensor<3x6x4xf32>) -> tensor<5x4xf32>
    return %20 : tensor<5x4xf32>
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
// argument: {{-1.24911296, 0.116260774, -0.159063846, -1.10968375}, {0.215648249, 0.0349178351, -0.410358667, 0.396028757}, {-1.41879702, -0.0536417924, 0.431414157, 0.284017861}, {1.07642782, -1.20111263, -1.50788045, 0.239067748}, {0.455152541, 2.11982369, 0.616612494, -0.873948276}}
// argument: {{0.806029737, -0.845630169, -1.48583591}, {2.60910082, 0.325825393, 0.714950621}, {0.563550234, 1.81207681, 0.284106523}, {1.21769798, -1.02728391, -1.39216101}}
// argument: {{{1.42655706, 1.47485971, 0.510725796, 0.2260665, 0.166176587, -0.688161433}, {1.53863788, 0.65888083, 0.505905449, 0.376125276, 1.04791284, 0.5050053}, {0.745359778, -1.16893089, 0.510033011, 2.1872015, -0.518522978, -0.128828868}, {0.891943693, 0.957303166, 0.62442708, -1.61760032, 0.501730263, -1.18367457}}, {{-0.824701905, 0.548053801, -0.295824111, 0.809622884, 3.14813876, 0.777180076}, {0.722852647, -0.895727456, -0.642964244, -1.06366193, -0.532595813, -1.09175205}, {-0.659690022, -0.208721831, -1.00057387, -1.41909707, -1.36146355, 0.453921109}, {0.0597465299, 1.0259403, 1.0444392, -0.340638936, 0.670043588, -1.44052052}}, {{2.2830236, 1.19540429, -0.215033397, -1.16319942, 0.380048573, -1.87007356}, {-0.779302418, 0.748757541, 0.0754489973, -0.490964741, 0.950739563, -1.03863406}, {0.284700602, -0.497885495, -0.847370446, 0.463395774, -0.99287945, 1.90200651}, {-0.584716856, 1.98982, -1.09397078, 0.605951428, -1.19957566, -1.34111726}}}
// argument: {{{0.159705341, 0.677558839, -1.27426291, 1.18414712}, {-0.797599018, 0.131222695, 0.379778862, 0.59468168}, {-1.79781222, 1.61856258, 0.561793089, -0.425593495}, {-1.02415395, -1.69407153, -1.36142325, 0.544938505}, {-0.341073275, -1.13151598, -0.526934981, 1.56411254}, {-0.330674887, -0.584448218, 1.35060608, 0.461891681}}, {{0.0442808308, -0.607781887, -1.55241084, -1.17054248}, {-0.480461597, -0.219625697, 0.356242269, 0.551764727}, {0.222921565, 0.220408499, -1.00752473, -2.15475488}, {-0.520875812, -0.954149246, -0.652626932, -0.274553984}, {-1.24360704, -1.11051047, -0.100317061, 0.115770526}, {-0.65599829, 0.498285055, -0.219454706, -1.01991308}}, {{0.0407306664, 1.88241363, -0.674926221, 1.16613972}, {1.37777591, 1.49816155, -0.822628021, 2.01537395}, {0.116349459, -0.253788918, -0.230347916, 0.601573527}, {0.0511275344, -0.176896676, 1.28358889, -0.722762644}, {-1.04314399, 0.793105125, 0.703597367, 1.09397757}, {-1.0721997, 1.08139145, 0.482021332, 1.76257539}}}
// result: {{-3.78442335, 3.20127058, 2.00807452, 5.9683094}, {-0.695357084, 0.468190253, -0.343528956, 1.81151092}, {-1.61508429, 1.34368968, 1.36334598, 1.30711424}, {-0.486763179, 2.99642205, -0.525473475, 3.51438379}, {-5.95190811, -4.26543045, -6.60170269, 8.3325119}}
