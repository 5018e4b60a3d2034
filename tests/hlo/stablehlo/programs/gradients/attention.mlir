module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4x6xf32>, %arg1: tensor<6x2x9xf32>, %arg2: tensor<2x3x6xf32>) -> (tensor<2x4x6xf32> {jax.result_info = "result[0]"}, tensor<6x2x9xf32> {jax.result_info = "result[1]"}, tensor<2x3x6xf32> {jax.result_info = "result[2]"}) {
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
    %9:2 = call @_where(%8, %6, %cst_0) : (tensor<4x4xi1>, tensor<2x2x4x4xf32>, tensor<f32>) -> (tensor<2x2x4x4xf32>, tensor<2x2x4x4xi1>)
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.reduce(%9#0 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x2x4xf32>
    %12 = stablehlo.maximum %11, %10 : tensor<2x2x4xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %15 = stablehlo.subtract %9#0, %14 : tensor<2x2x4x4xf32>
    %16 = stablehlo.exponential %15 : tensor<2x2x4x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %20 = stablehlo.divide %16, %19 : tensor<2x2x4x4xf32>
    %21 = stablehlo.multiply %18, %18 : tensor<2x2x4x1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x2x4x1xf32>
    %23 = stablehlo.divide %22, %21 : tensor<2x2x4x1xf32>
    %24 = stablehlo.dot_general %3, %20, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [HIGHEST, HIGHEST] : (tensor<2x4x2x3xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x3x4xf32>
    %25 = stablehlo.dot_general %24, %arg2, contracting_dims = [2, 1] x [1, 0], precision = [HIGHEST, HIGHEST] : (tensor<2x2x3x4xf32>, tensor<2x3x6xf32>) -> tensor<2x4x6xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x4x6xf32>
    %27 = stablehlo.multiply %26, %25 : tensor<2x4x6xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x4x6xf32>
    %29 = stablehlo.multiply %28, %27 : tensor<2x4x6xf32>
    %30 = stablehlo.dot_general %29, %24, contracting_dims = [0, 1] x [0, 3], precision = [HIGHEST, HIGHEST] : (tensor<2x4x6xf32>, tensor<2x2x3x4xf32>) -> tensor<6x2x3xf32>
    %31 = stablehlo.transpose %30, dims = [1, 2, 0] : (tensor<6x2x3xf32>) -> tensor<2x3x6xf32>
    %32 = stablehlo.dot_general %29, %arg2, contracting_dims = [2] x [2], precision = [HIGHEST, HIGHEST] : (tensor<2x4x6xf32>, tensor<2x3x6xf32>) -> tensor<2x4x2x3xf32>
    %33 = stablehlo.transpose %32, dims = [0, 2, 3, 1] : (tensor<2x4x2x3xf32>) -> tensor<2x2x3x4xf32>
    %34 = stablehlo.dot_general %33, %3, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [HIGHEST, HIGHEST] : (tensor<2x2x3x4xf32>, tensor<2x4x2x3xf32>) -> tensor<2x2x4x4xf32>
    %35 = stablehlo.dot_general %33, %20, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [HIGHEST, HIGHEST] : (tensor<2x2x3x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x3x4xf32>
    %36 = stablehlo.transpose %35, dims = [0, 3, 1, 2] : (tensor<2x2x3x4xf32>) -> tensor<2x4x2x3xf32>
    %37 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %38 = stablehlo.multiply %34, %37 : tensor<2x2x4x4xf32>
    %39 = stablehlo.multiply %38, %16 : tensor<2x2x4x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_7) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %41 = stablehlo.reshape %40 : (tensor<2x2x4xf32>) -> tensor<2x2x4x1xf32>
    %42 = stablehlo.negate %41 : tensor<2x2x4x1xf32>
    %43 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<2x2x4x1xf32>) -> tensor<2x2x4x4xf32>
    %44 = stablehlo.divide %34, %43 : tensor<2x2x4x4xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%42 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<2x2x4x1xf32>, tensor<f32>) -> tensor<2x2x4xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<2x2x4xf32>) -> tensor<2x2x4x4xf32>
    %47 = stablehlo.add %44, %46 : tensor<2x2x4x4xf32>
    %48 = stablehlo.multiply %47, %16 : tensor<2x2x4x4xf32>
    %49 = call @_where_0(%9#1, %48) : (tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
    %cst_9 = stablehlo.constant dense<1.73205078> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %51 = stablehlo.divide %49, %50 : tensor<2x2x4x4xf32>
    %52 = stablehlo.dot_general %51, %1, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x2x4x4xf32>, tensor<2x4x2x3xf32>) -> tensor<2x2x4x3xf32>
    %53 = stablehlo.transpose %52, dims = [0, 2, 1, 3] : (tensor<2x2x4x3xf32>) -> tensor<2x4x2x3xf32>
    %54 = stablehlo.dot_general %51, %2, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x2x4x4xf32>, tensor<2x4x2x3xf32>) -> tensor<2x2x4x3xf32>
    %55 = stablehlo.transpose %54, dims = [0, 2, 1, 3] : (tensor<2x2x4x3xf32>) -> tensor<2x4x2x3xf32>
    %56 = stablehlo.concatenate %55, %53, %36, dim = 3 : (tensor<2x4x2x3xf32>, tensor<2x4x2x3xf32>, tensor<2x4x2x3xf32>) -> tensor<2x4x2x9xf32>
    %57 = stablehlo.dot_general %56, %arg0, contracting_dims = [0, 1] x [0, 1], precision = [HIGHEST, HIGHEST] : (tensor<2x4x2x9xf32>, tensor<2x4x6xf32>) -> tensor<2x9x6xf32>
    %58 = stablehlo.transpose %57, dims = [2, 0, 1] : (tensor<2x9x6xf32>) -> tensor<6x2x9xf32>
    %59 = stablehlo.dot_general %56, %arg1, contracting_dims = [2, 3] x [1, 2], precision = [HIGHEST, HIGHEST] : (tensor<2x4x2x9xf32>, tensor<6x2x9xf32>) -> tensor<2x4x6xf32>
    return %59, %58, %31 : tensor<2x4x6xf32>, tensor<6x2x9xf32>, tensor<2x3x6xf32>
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
  func.func private @_where(%arg0: tensor<4x4xi1>, %arg1: tensor<2x2x4x4xf32>, %arg2: tensor<f32>) -> (tensor<2x2x4x4xf32>, tensor<2x2x4x4xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<4x4xi1>) -> tensor<2x2x4x4xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>
    return %3, %1 : tensor<2x2x4x4xf32>, tensor<2x2x4x4xi1>
  }
  func.func private @_where_0(%arg0: tensor<2x2x4x4xi1>, %arg1: tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x4x4xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<2x2x4x4xi1>, tensor<2x2x4x4xf32>
    return %1 : tensor<2x2x4x4xf32>
  }
}
// argument: {{{-1.15549517, 1.63723886, -1.00844753, -0.233811438, 0.835791469, 0.630265772}, {0.282030165, -1.64936602, 0.362234116, -1.02236474, 2.56890917, -0.213428527}, {0.188719869, -1.14670134, -0.478880107, -1.29104221, 0.981532753, -0.261972427}, {0.562660813, -0.68458724, -0.501142442, 1.28818059, -0.971693277, -1.80144405}}, {{0.406240165, -1.14133322, -0.439466387, 0.911583364, -0.818596423, 0.878450096}, {-0.681225419, 1.49067879, 1.32510304, -0.471395403, -0.213228151, -0.831935525}, {0.200001985, 1.14917052, -1.44675684, 0.917448461, -1.3239367, -0.859720588}, {-1.78770375, 2.10494566, 0.0587017052, 0.24475266, -0.676115572, 1.06696665}}}
// argument: {{{-2.10317683, 0.0266654305, 2.20672464, -0.382054001, 0.0171475448, 0.672232985, -0.81145066, 0.0228451621, 0.960995197}, {0.194391534, 0.370987058, -0.349434406, 0.315601051, 0.0557656586, 1.45506489, 0.7243945, -0.243681818, -2.44681239}}, {{0.715722144, 0.755265653, -0.916907966, -1.99836838, -1.14180708, 0.926188767, -1.06478155, -0.459525138, 0.22039406}, {1.22436798, -0.0181571878, -0.100387327, -0.548849404, 1.63065279, 1.06595039, -0.0951234028, -1.39657915, -0.790289521}}, {{0.579481661, -0.721477687, 0.892272949, 0.36145854, 0.292651385, 0.653444767, 0.498587847, -0.855177522, -0.325830042}, {2.33981609, -1.20785654, -0.474544972, 1.06569791, -0.159260526, -0.812122047, -1.32317376, 0.536027908, 1.01989245}}, {{1.39989352, 0.0537885092, 1.0449878, -1.03294098, 0.168021366, -0.677386999, 0.173838839, 0.750713706, 1.06972623}, {-0.989906192, 1.26748717, -0.474386245, -1.02573276, -0.170604229, -1.46255279, 0.00457819691, 0.289704144, -0.200370088}}, {{0.536164701, -0.314681053, 0.00405102875, -1.44066417, 0.0426721685, -0.851036429, -0.449778616, -0.093679063, 0.190977633}, {-1.64666557, -1.56342626, -0.301975042, 0.474385947, 0.360241413, 0.892780423, 1.30107641, 0.496433318, -0.01986227}}, {{-1.03145778, -0.94606775, -0.467170477, 0.267486602, 0.220735535, 0.00424375571, -0.152722657, 0.630496264, 0.208332434}, {0.297846794, 0.308437109, -0.546292961, -1.03083754, 0.491127789, 0.416727364, -0.220026061, -0.415740937, 2.27842402}}}
// argument: {{{-0.759209037, -0.217544094, 0.265509367, -1.15423059, 0.117235966, 1.79774916}, {0.93386817, 0.63220036, 0.592427909, 0.111964218, 0.958392978, -0.155861765}, {-0.422806561, 0.102042675, 0.90569663, 0.33042559, 0.67453897, -2.02411914}}, {{1.19305742, 2.34060168, 1.33490407, -0.31761995, -0.84844327, 0.277464241}, {-0.986975849, 0.72567153, -0.525410473, 0.960663676, 1.36213613, -2.03225183}, {0.292778015, -0.698281229, -1.40977991, -0.617342889, -0.21893388, 1.03368723}}}
// result: {{{51.877655, 342.431885, -75.289093, -217.014435, 177.83551, 104.922966}, {-22.1094513, -2.0933094, 481.765198, -200.342514, -147.60022, 1.85285568}, {-0.688801289, -61.3787384, -46.4948349, -14.5520287, -51.2879448, -10.8685141}, {-114.003891, 25.3615532, -34.2804413, 41.5791779, 61.055706, -39.3360863}}, {{20.3298912, -36.7803574, -7.39417887, 55.8068733, -2.61781549, -0.07929039}, {-89.418808, -214.854492, 143.173065, 26.7075081, -125.78524, -57.7606087}, {44.6629944, 101.153961, -307.931915, 52.1108665, 256.728149, 16.3306389}, {0.0109657664, 0.0322589912, 0.0517589599, -0.0102881258, -0.0843266621, 0.00743161375}}}
// result: {{{9.93935871, 4.48772287, -5.02442694, -5.80044556, -9.56147289, -17.8500423, 48.7957497, -23.8857307, 24.0931492}, {26.8129501, -41.7449188, -0.7912516, -185.609283, -128.068771, 0.264330149, -46.7137299, 148.853668, -62.074131}}, {{-12.0250378, -5.40721846, 6.06933308, -8.13652611, -13.4021606, -24.7547321, -95.1107254, 25.6569138, -28.820919}, {-392.5914, 203.588837, 11.5109901, 393.595825, 481.488373, 34.3145714, 5.0258646, -242.766129, 97.5735703}}, {{-8.89399433, -4.02817869, 4.506001, 1.14736605, 1.85937202, 3.51557851, 3.49109077, -31.9638805, 32.1407013}, {231.309265, -47.639595, -6.75014877, -111.620499, -531.834839, -74.5268173, -171.894592, 127.721306, -19.0434685}}, {{22.8076324, 10.316412, -11.5306025, -41.2784615, -67.9928207, -126.507492, 13.9981022, 11.9188519, 44.2346115}, {-246.384872, 104.086761, 7.075109, 55.635006, 271.930176, 41.672657, -33.4913902, 26.9078217, -11.252697}}, {{-17.2381592, -7.80871058, 8.71923828, 32.81633, 54.0495415, 100.526657, -27.605957, 5.23945189, -56.6432037}, {589.852905, -349.678406, -16.9791813, -201.798599, -416.441345, -40.2492332, 167.188553, -62.6784019, 8.65182304}}, {{-31.839613, -14.3819284, 16.0963211, 24.7143593, 40.7520218, 75.714798, -31.9858093, 36.7663651, 54.0913849}, {55.3060112, 39.2162819, -1.87366045, 95.8527603, 127.852707, 10.8314667, 77.5800934, -63.6756325, 31.4744358}}}
// result: {{{-51.6622772, -61.8271484, 13.690753, -11.4849558, 53.5979843, 4.06332207}, {1.61844945, -39.4594498, 32.3573494, -12.0228596, 54.386879, -0.799395561}, {-15.4598198, -34.0623016, 18.0305882, -5.78077459, 41.5276756, -4.25197458}}, {{72.4923248, 106.02211, -5.57291269, 5.51053572, -78.0664673, 6.28149986}, {-46.176609, 48.4633713, -24.7631264, 47.015728, 37.6448898, -90.6311493}, {54.1182823, 20.1908436, -41.0362434, -21.1713905, -45.885128, 44.9182434}}}
