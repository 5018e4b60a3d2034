module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x2xf32>, %arg2: tensor<i32>, %arg3: tensor<4x8xf32>, %arg4: tensor<8x2xf32>, %arg5: tensor<4x8xf32>, %arg6: tensor<8x2xf32>, %arg7: tensor<5x4xf32>, %arg8: tensor<5x2xf32>) -> (tensor<4x8xf32> {jax.result_info = "result[0]['w1']"}, tensor<8x2xf32> {jax.result_info = "result[0]['w2']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<4x8xf32> {jax.result_info = "result[1][0].mu['w1']"}, tensor<8x2xf32> {jax.result_info = "result[1][0].mu['w2']"}, tensor<4x8xf32> {jax.result_info = "result[1][0].nu['w1']"}, tensor<8x2xf32> {jax.result_info = "result[1][0].nu['w2']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg7, %arg0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x4xf32>, tensor<4x8xf32>) -> tensor<5x8xf32>
    %1 = stablehlo.tanh %0 : tensor<5x8xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x8xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<5x8xf32>
    %4 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x8xf32>, tensor<8x2xf32>) -> tensor<5x2xf32>
    %5 = stablehlo.subtract %4, %arg8 : tensor<5x2xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<5x2xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x2xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<5x2xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x2xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %10 = stablehlo.divide %9, %cst_2 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %11 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<5x2xf32>
    %13 = stablehlo.multiply %12, %8 : tensor<5x2xf32>
    %14 = stablehlo.dot_general %13, %1, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x2xf32>, tensor<5x8xf32>) -> tensor<2x8xf32>
    %15 = stablehlo.transpose %14, dims = [1, 0] : (tensor<2x8xf32>) -> tensor<8x2xf32>
    %16 = stablehlo.dot_general %13, %arg1, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<5x2xf32>, tensor<8x2xf32>) -> tensor<5x8xf32>
    %17 = stablehlo.multiply %16, %3 : tensor<5x8xf32>
    %18 = stablehlo.multiply %17, %1 : tensor<5x8xf32>
    %19 = stablehlo.add %17, %18 : tensor<5x8xf32>
    %20 = stablehlo.dot_general %19, %arg7, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<5x8xf32>, tensor<5x4xf32>) -> tensor<8x4xf32>
    %21 = stablehlo.transpose %20, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<4x8xf32>
    %cst_6 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %25 = stablehlo.multiply %24, %arg3 : tensor<4x8xf32>
    %26 = stablehlo.add %23, %25 : tensor<4x8xf32>
    %cst_7 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %28 = stablehlo.multiply %27, %15 : tensor<8x2xf32>
    %cst_8 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %30 = stablehlo.multiply %29, %arg4 : tensor<8x2xf32>
    %31 = stablehlo.add %28, %30 : tensor<8x2xf32>
    %32 = stablehlo.multiply %21, %21 : tensor<4x8xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %34 = stablehlo.multiply %33, %32 : tensor<4x8xf32>
    %cst_10 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %36 = stablehlo.multiply %35, %arg5 : tensor<4x8xf32>
    %37 = stablehlo.add %34, %36 : tensor<4x8xf32>
    %38 = stablehlo.multiply %15, %15 : tensor<8x2xf32>
    %cst_11 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %40 = stablehlo.multiply %39, %38 : tensor<8x2xf32>
    %cst_12 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %42 = stablehlo.multiply %41, %arg6 : tensor<8x2xf32>
    %43 = stablehlo.add %40, %42 : tensor<8x2xf32>
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %44 = stablehlo.compare LT, %arg2, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_13 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg2, %c_13 : tensor<i32>
    %c_14 = stablehlo.constant dense<2147483647> : tensor<i32>
    %46 = call @_where(%44, %45, %c_14) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_15 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %47 = stablehlo.convert %46 : (tensor<i32>) -> tensor<f32>
    %48 = stablehlo.power %cst_15, %47 : tensor<f32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.subtract %cst_16, %48 : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %51 = stablehlo.divide %26, %50 : tensor<4x8xf32>
    %52 = stablehlo.broadcast_in_dim %49, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %53 = stablehlo.divide %31, %52 : tensor<8x2xf32>
    %cst_17 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %54 = stablehlo.convert %46 : (tensor<i32>) -> tensor<f32>
    %55 = stablehlo.power %cst_17, %54 : tensor<f32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.subtract %cst_18, %55 : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %58 = stablehlo.divide %37, %57 : tensor<4x8xf32>
    %59 = stablehlo.broadcast_in_dim %56, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %60 = stablehlo.divide %43, %59 : tensor<8x2xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %62 = stablehlo.add %58, %61 : tensor<4x8xf32>
    %63 = stablehlo.sqrt %62 : tensor<4x8xf32>
    %cst_20 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %65 = stablehlo.add %63, %64 : tensor<4x8xf32>
    %66 = stablehlo.divide %51, %65 : tensor<4x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %68 = stablehlo.add %60, %67 : tensor<8x2xf32>
    %69 = stablehlo.sqrt %68 : tensor<8x2xf32>
    %cst_22 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %71 = stablehlo.add %69, %70 : tensor<8x2xf32>
    %72 = stablehlo.divide %53, %71 : tensor<8x2xf32>
    %cst_23 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %74 = stablehlo.multiply %73, %66 : tensor<4x8xf32>
    %cst_24 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %76 = stablehlo.multiply %75, %72 : tensor<8x2xf32>
    %77 = stablehlo.add %arg0, %74 : tensor<4x8xf32>
    %78 = stablehlo.add %arg1, %76 : tensor<8x2xf32>
    return %77, %78, %46, %26, %31, %37, %43, %10 : tensor<4x8xf32>, tensor<8x2xf32>, tensor<i32>, tensor<4x8xf32>, tensor<8x2xf32>, tensor<4x8xf32>, tensor<8x2xf32>, tensor<f32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
// argument: {{-1.39120364, -0.200467065, -0.529800594, -1.14807749, -0.414243966, -1.05454624, 0.0123847686, -0.0707842782}, {0.699198723, -0.503379464, -1.382429, -1.37008023, -0.29392007, 1.49244606, 0.803285956, -0.690174878}, {0.89710027, -1.21004736, 0.968646049, -0.431118101, 0.723475754, 0.577051342, -0.325074643, 0.281525373}, {-1.11688995, -0.120985866, 1.03917515, 4.06160641, 0.658177495, 0.0414855182, -1.06207621, 1.01551759}}
// argument: {{-1.7075932, -0.851453304}, {0.312694907, -1.25525653}, {1.49831414, 1.04980755}, {-0.616212308, -0.603216648}, {-1.36898518, -1.45101595}, {0.397729427, 0.579287708}, {0.306284845, 0.220427841}, {-0.608181596, 0.315280467}}
// argument: 0
// argument: {{0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}}
// argument: {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}
// argument: {{0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}}
// argument: {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}
// argument: {{-1.52278423, -0.0378767438, 1.43260324, 1.28118026}, {-0.510970056, -0.381351024, 1.33649611, 1.74768817}, {-1.54762769, -0.473961532, 0.189083219, 1.17697656}, {-0.886881053, 0.598858893, -0.347233444, 2.33875418}, {0.385991246, -0.180791005, -0.381837696, 1.01431906}}
// argument: {{0.63640219, -1.13243318}, {0.172598764, -1.38942575}, {-0.804147601, -1.3449744}, {-1.37629116, -0.734668016}, {-1.02912068, 0.484970629}}
// result: {{-1.38120365, -0.210466996, -0.539800525, -1.13807929, -0.404244035, -1.04454637, 0.00238483795, -0.0607843474}, {0.709198654, -0.493379533, -1.39242887, -1.38007605, -0.283920139, 1.50244594, 0.793286026, -0.680175006}, {0.887100339, -1.20004737, 0.97864598, -0.441116273, 0.713475823, 0.567051411, -0.315074712, 0.271525443}, {-1.10688996, -0.110985935, 1.02917516, 4.07160568, 0.668177426, 0.0314855874, -1.07207608, 1.02551746}}
// result: {{-1.69759321, -0.861453235}, {0.302694976, -1.24525654}, {1.50831413, 1.03980756}, {-0.606212378, -0.613216579}, {-1.35898519, -1.46101594}, {0.407729357, 0.569287777}, {0.296284914, 0.230427772}, {-0.598181665, 0.305280536}}
// result: 1
// result: {{-0.0245918836, 0.0632863268, 0.00104900612, -5.84011832e-06, -0.0011784801, -0.00313117029, 0.00302578765, -0.0136499498}, {-0.0226351265, -0.00458590686, 0.00182963756, 2.4639919e-06, -0.00632543443, -0.00121384277, 0.000724287354, -0.000240653739}, {0.0204634126, -0.0328247212, -0.0121310716, 5.70629072e-06, 0.015887063, 0.0101041952, -0.00365062989, 0.0128109623}, {-0.0254439842, -0.0574704893, 0.0439115204, -1.35030878e-05, -0.0578508377, 0.0248851068, 0.00346483826, -0.00396759622}}
// result: {{-0.140353188, 0.00636550738}, {0.0919780359, -0.0665007606}, {-0.0554761365, 0.085597299}, {-0.0403112583, 0.0813040286}, {-0.0666098446, 0.0888142213}, {-0.0892690048, 0.0894922689}, {0.0441578105, -0.0815245807}, {-0.0446674861, 0.0817367509}}
// result: {{6.04760717e-05, 0.000400515884, 1.10041377e-07, 3.41069837e-12, 1.38881546e-07, 9.80422783e-07, 9.15539033e-07, 1.86321122e-05}, {5.12348961e-05, 2.10305438e-06, 3.34757402e-07, 6.07125569e-13, 4.00111185e-06, 1.47341424e-07, 5.24592174e-08, 5.79142201e-09}, {4.18751297e-05, 0.000107746244, 1.471629e-05, 3.25617528e-12, 2.52398768e-05, 1.02094764e-05, 1.33270999e-06, 1.64120738e-05}, {6.473963e-05, 0.000330285722, 0.000192822161, 1.82333367e-11, 0.00033467196, 6.1926854e-05, 1.20051038e-06, 1.57418208e-06}}
// result: {{0.00196990161, 4.05196806e-06}, {0.000845996023, 0.00044223509}, {0.000307760172, 0.000732689688}, {0.000162499768, 0.000661034486}, {0.000443687139, 0.000788796518}, {0.000796895474, 0.000800886599}, {0.000194991226, 0.000664625724}, {0.000199518443, 0.000668089662}}
// result: 2.97775793
