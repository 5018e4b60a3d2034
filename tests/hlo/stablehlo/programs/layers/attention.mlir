module @jit_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x6xf32>, %arg1: tensor<6x2x9xf32>, %arg2: tensor<2x3x6xf32>) -> (tensor<2x4x6xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x4x6xf32>, tensor<6x2x9xf32>) -> tensor<2x4x2x9xf32>
    %1 = stablehlo.slice %0 [0:2, 0:4, 0:2, 0:3] : (tensor<2x4x2x9xf32>) -> tensor<2x4x2x3xf32>
    %2 = stablehlo.slice %0 [0:2, 0:4, 0:2, 3:6] : (tensor<2x4x2x9xf32>) -> tensor<2x4x2x3xf32>
    %3 = stablehlo.slice %0 [0:2, 0:4, 0:2, 6:9] : (tensor<2x4x2x9xf32>) -> tensor<2x4x2x3xf32>
    %4 = stablehlo.dot_general %1, %2, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [HIGHEST, HIGHEST] : (tensor<2x4x2x3xf32>, tensor<2x4x2x3xf32>) -> tensor<2x2x4x4xf32>
    %cst = stablehlo.constant dense<1.73205078> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %6 = stablehlo.divide %4, %5 : tensor<2x2x4x4xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<4x4xi1>
    %8 = call @tril(%7) : (tensor<4x4xi1>) -> tensor<4x4xi1>
    %cst_0 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %9 = call @_where(%8, %6, %cst_0) : (tensor<4x4xi1>, tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4x4xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x2x4xf32>
    %12 = stablehlo.maximum %11, %10 : tensor<2x2x4xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %15 = stablehlo.subtract %9, %14 : tensor<2x2x4x4xf32>
    %16 = stablehlo.exponential %15 : tensor<2x2x4x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %20 = stablehlo.divide %16, %19 : tensor<2x2x4x4xf32>
    %21 = stablehlo.dot_general %3, %20, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [HIGHEST, HIGHEST] : (tensor<2x4x2x3xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x3x4xf32>
    %22 = stablehlo.dot_general %21, %arg2, contracting_dims = [2, 1] x [1, 0], precision = [HIGHEST, HIGHEST] : (tensor<2x2x3x4xf32>, tensor<2x3x6xf32>) -> tensor<2x4x6xf32>
    return %22 : tensor<2x4x6xf32>
  }
  func.func private @tril(%arg0: tensor<4x4xi1>) -> tensor<4x4xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x4xi32>
    %2 = stablehlo.add %0, %1 : tensor<4x4xi32>
    %3 = stablehlo.iota dim = 1 : tensor<4x4xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<4x4xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<4x4xi1>, tensor<4x4xi1>
    return %6 : tensor<4x4xi1>
  }
  func.func private @_where(%arg0: tensor<4x4xi1>, %arg1: tensor<2x2x4x4xf32>, %arg2: tensor<f32>) -> tensor<2x2x4x4xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<4x4xi1>) -> tensor<2x2x4x4xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>
    return %3 : tensor<2x2x4x4xf32>
  }
}
// argument: {{{-0.498116404, -1.58406579, 0.031167252, -1.2801789, -1.21038961, 0.916106403}, {-0.683189273, -0.0714711845, 0.629096329, 0.813224077, -0.337020129, 0.0441174805}, {-0.825406015, 1.74737966, 0.649949789, -1.10323977, 0.00405796897, 0.7135517}, {0.479410976, 1.82917011, 1.3723191, -0.539306462, -0.0891804993, -1.28154135}}, {{0.249452978, 0.151021063, 2.70348287, 0.0975751057, -2.09325242, -0.672086477}, {0.112349212, -1.2560153, -0.867207706, -0.365635812, 0.341811627, -0.165342018}, {-0.889232516, 0.787681222, -0.539637446, -0.499308854, -1.37965155, -0.786015749}, {0.651771605, -1.61765516, -0.0711736977, 0.717725039, -0.377108604, 0.239790514}}}
// argument: {{{-1.11679399, 1.31027794, 1.10105038, 0.235499084, -1.75507891, -1.04596233, 0.976703048, 1.71312106, 0.296615452}, {1.24731898, -0.607761681, -0.189387158, 0.00114790362, 0.423096746, -1.52880955, 0.940666854, 1.3225466, -1.14873517}}, {{-1.35533965, 0.350560129, -0.654311895, -2.37082958, 0.808583498, 0.155594423, -0.47664699, 2.11344433, 0.138904259}, {-0.753430068, 0.101151809, -1.04006922, -0.761706769, 0.386362791, -0.554198205, -0.450974077, 1.66894484, 0.859648764}}, {{0.802825809, 0.5288167, 0.48420155, 1.45658493, -0.0195459854, 1.85551417, -0.951401651, -0.255037695, -1.37859631}, {-0.343773007, 0.518442452, 1.45124686, -0.663327515, 0.00530447345, -0.359210402, -0.738599956, -1.18937945, 0.0606611669}}, {{-1.73206496, 0.110543154, 0.020951936, -0.657750309, -1.0109036, -1.38430727, 1.87132835, -1.34197211, 1.5577023}, {0.600164771, -0.364020973, -1.15707684, 1.04249346, 1.72965121, -0.934024394, -0.298745215, 1.05162382, 0.335783362}}, {{1.9999609, -0.570144475, 0.542291224, -1.25092793, 2.09589171, -0.730340838, -2.20796704, -0.125764027, -0.139430627}, {1.91557157, -0.338819653, -0.0126437442, 0.593438864, 1.58627069, -0.063229613, 1.03947794, 0.518084586, -0.296235323}}, {{0.077554442, 0.0286738779, -0.916024625, 1.21368074, -1.38562024, 1.17116892, 0.954419315, -0.093049258, -0.765444338}, {-0.226425081, 0.472774655, 0.743058443, 0.286918968, 0.992136359, -0.557434559, 0.234576404, -1.56834579, 0.763626635}}}
// argument: {{{0.153176248, -0.415574163, 1.16154242, 0.691526175, -2.81639433, 0.0398832485}, {-1.455024, 1.06665993, 2.48907471, -0.518533528, 0.0745791495, -0.251033574}, {0.350813121, 0.644549012, 1.28719389, -0.987421334, 1.57163477, -0.931513846}}, {{0.277088702, 1.15857661, 0.713198721, -0.93857497, -0.701923609, -0.462330908}, {-0.05116928, 1.14695323, -1.29181147, 0.466701508, 0.609972417, 0.558288693}, {0.466306329, 1.51831818, 0.487808347, 0.856959224, 0.563546479, 1.79311287}}}
// result: {{{2.85937595, -13.5478001, 0.128937006, 2.24315405, -12.6117563, -0.451381683}, {4.02311897, -6.99654675, -1.48019671, 2.31559992, -3.7436831, 0.726806462}, {4.20263338, -3.18948221, -4.65359497, 6.56962633, -3.88535118, 6.6625886}, {-7.36672688, 5.26316643, -0.790162563, 1.04567003, 8.91567612, 4.5142355}}, {{-1.99674773, -9.75966072, -0.377428532, 6.59425163, -7.68377209, 3.26967955}, {-1.27207148, -3.71175766, 0.783412457, 0.414633572, -11.7356577, -1.59781146}, {-1.58081782, -6.71383047, 3.28263092, 2.29811239, 1.05136979, 0.0847709477}, {-1.4318403, -1.80826998, 3.39341831, -1.28799701, -5.91187429, -2.59065723}}}
