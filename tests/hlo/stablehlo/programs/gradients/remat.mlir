module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16x4xf32>, %arg3: tensor<3x8xf32>) -> (tensor<8x16xf32> {jax.result_info = "result[0]"}, tensor<16x4xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg3, %arg0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<3x16xf32>
    %3 = stablehlo.add %0, %2 : tensor<3x16xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<3x16xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<3x16xf32>
    %cst = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<3x16xf32>
    %8 = stablehlo.add %3, %7 : tensor<3x16xf32>
    %cst_0 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<3x16xf32>
    %11 = stablehlo.tanh %10 : tensor<3x16xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %13 = stablehlo.add %12, %11 : tensor<3x16xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %15 = stablehlo.multiply %14, %13 : tensor<3x16xf32>
    %16 = stablehlo.multiply %3, %15 : tensor<3x16xf32>
    %17 = stablehlo.dot_general %16, %arg2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x16xf32>, tensor<16x4xf32>) -> tensor<3x4xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<3x4xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<3x4xf32>
    %22:5 = stablehlo.optimization_barrier %arg0, %arg1, %arg2, %arg3, %21 : tensor<8x16xf32>, tensor<16xf32>, tensor<16x4xf32>, tensor<3x8xf32>, tensor<3x4xf32>
    %23 = stablehlo.dot_general %22#3, %22#0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x8xf32>, tensor<8x16xf32>) -> tensor<3x16xf32>
    %24 = stablehlo.broadcast_in_dim %22#1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<3x16xf32>
    %26 = stablehlo.add %23, %25 : tensor<3x16xf32>
    %27 = stablehlo.multiply %26, %26 : tensor<3x16xf32>
    %28 = stablehlo.multiply %27, %26 : tensor<3x16xf32>
    %29 = stablehlo.multiply %26, %26 : tensor<3x16xf32>
    %cst_5 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %31 = stablehlo.multiply %30, %29 : tensor<3x16xf32>
    %cst_6 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %33 = stablehlo.multiply %32, %28 : tensor<3x16xf32>
    %34 = stablehlo.add %26, %33 : tensor<3x16xf32>
    %cst_7 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %36 = stablehlo.multiply %35, %34 : tensor<3x16xf32>
    %37 = stablehlo.tanh %36 : tensor<3x16xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %39 = stablehlo.subtract %38, %37 : tensor<3x16xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %41 = stablehlo.add %40, %37 : tensor<3x16xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %43 = stablehlo.multiply %42, %41 : tensor<3x16xf32>
    %44 = stablehlo.multiply %26, %43 : tensor<3x16xf32>
    %45 = stablehlo.dot_general %22#4, %44, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x4xf32>, tensor<3x16xf32>) -> tensor<4x16xf32>
    %46 = stablehlo.transpose %45, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %47 = stablehlo.dot_general %22#4, %22#2, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<3x4xf32>, tensor<16x4xf32>) -> tensor<3x16xf32>
    %48 = stablehlo.multiply %26, %47 : tensor<3x16xf32>
    %49 = stablehlo.multiply %47, %43 : tensor<3x16xf32>
    %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %51 = stablehlo.multiply %50, %48 : tensor<3x16xf32>
    %52 = stablehlo.multiply %51, %39 : tensor<3x16xf32>
    %53 = stablehlo.multiply %52, %37 : tensor<3x16xf32>
    %54 = stablehlo.add %52, %53 : tensor<3x16xf32>
    %cst_12 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %56 = stablehlo.multiply %55, %54 : tensor<3x16xf32>
    %57 = stablehlo.add %49, %56 : tensor<3x16xf32>
    %cst_13 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %59 = stablehlo.multiply %58, %56 : tensor<3x16xf32>
    %60 = stablehlo.multiply %59, %31 : tensor<3x16xf32>
    %61 = stablehlo.add %57, %60 : tensor<3x16xf32>
    %62 = stablehlo.dot_general %61, %22#3, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x16xf32>, tensor<3x8xf32>) -> tensor<16x8xf32>
    %63 = stablehlo.transpose %62, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
    return %63, %46 : tensor<8x16xf32>, tensor<16x4xf32>
  }
}
// argument: {{-0.0736691281, -1.26536584, -0.0148136616, 0.491126716, 0.20740658, -1.98344028, -0.390737593, 0.452387124, 0.249654993, 1.10205126, -1.34060979, 0.466892689, -0.706899047, 0.138354331, 0.348642528, 0.629650176}, {-0.633437037, 0.127852947, -1.22461045, -1.46698165, 0.497850895, -0.111601844, -1.67540145, -0.907118201, -0.0385588855, 1.49681652, 0.986670792, 0.740023017, -1.84246337, -0.155198395, 0.418873847, 0.335556388}, {0.357675254, -0.291300207, 1.6989311, 1.41750968, -0.152032852, -1.03771639, 1.99461114, -0.61077106, 1.13795316, 1.85022688, -1.00151289, 0.232009679, -0.405947059, 0.456265211, 0.261832386, 1.88655722}, {0.531518996, -0.0672189221, 1.06709957, -0.33039242, -0.423743874, 2.17950773, -0.879381657, -0.54739356, -0.0146138379, -1.11531901, -2.16742206, 0.99684602, -0.843269169, -0.599787831, -0.43101868, -1.04014099}, {-1.13269734, 0.102018751, 2.33882499, 0.67757529, 0.688043058, -1.56418526, -0.0829628631, -1.24211586, 0.713292778, -0.28690064, -0.0206929389, -0.147401452, -0.642428458, -1.58027112, 0.520689964, -1.44190228}, {-1.23961627, -0.356582105, -0.765047133, 0.202733442, 0.951476395, 0.189880803, 0.138116762, -0.0356713757, 0.799042344, -1.90482426, 0.30814296, -0.99182421, -1.2919116, -0.05416831, -0.446297884, 0.524270296}, {1.04175043, -2.38465738, -0.131337494, 1.89934802, 0.808581829, 1.38738966, 0.0427948236, -1.49428403, -1.18394053, 0.652729273, 0.89989984, -0.790485263, -0.327252477, 0.202591136, -1.80910075, -0.408940941}, {1.55927491, 2.12669778, -0.167132959, 1.77268016, -0.583889604, -0.869110107, -2.29705882, 0.898140967, -0.432845056, 2.2810595, 0.272925943, 0.129985034, -1.86462522, 1.44179773, -0.421067774, -0.219191253}}
// argument: {-2.26449037, 0.868381798, 0.930928588, -0.663572907, 0.0354006477, 0.335169733, 0.905727983, 0.0474255681, 1.66578972, -0.299267232, -0.663068175, -0.523362815, -2.59419155, -0.863256574, 0.950752556, 0.208828613}
// argument: {{-0.874545217, 0.294191957, -2.07398462, -0.340004653}, {0.469926417, 0.643106699, -0.829396605, 0.858218133}, {1.81514585, -0.481218636, 0.686709762, -1.6117146}, {-2.01613283, 0.558796823, -0.0105330748, 0.146453813}, {-0.636286557, -0.346796691, 0.758107185, 1.66570079}, {-0.269088745, -1.70323133, 1.22248566, 0.55075103}, {0.63025105, 0.130430639, 2.27222228, 0.024089532}, {0.462956965, -1.90526628, -0.63062501, -0.738422215}, {-0.0811627433, 0.297038496, -0.801044881, 1.68052244}, {-1.11707187, -0.501933813, 0.187199831, -1.30279112}, {0.519700885, 0.581954896, -0.343826532, 1.85888445}, {0.0305967815, 0.230052635, -1.01198864, -1.72660506}, {-0.682649374, -0.372928321, -0.506896138, 0.718012929}, {-2.43907952, -1.18584383, -1.87860596, 1.29136217}, {-0.616550565, -0.566287756, -1.15354121, 0.849007607}, {-0.46300596, 0.171225339, -2.08674169, 1.12134814}}
// argument: {{0.344496429, 0.501821101, 1.18706119, -0.243604168, -0.21741581, 0.668635309, 0.37724632, -0.294929951}, {-0.0055782795, -0.554472148, 0.66631335, 0.885625422, -0.044020094, 1.83232951, -1.58945274, -0.282568097}, {1.66515493, -0.470921516, -1.65154803, 1.34948397, 0.498208255, -1.24485159, 0.728237689, -1.07301998}}
// result: {{3.37599754, -0.824217021, 49.1792221, 5.56212807, 0.506882131, 34.5826645, -5.93911219, -3.79678679, 11.4514208, -6.92169571, -0.284418643, 10.0148525, -4.3463192, 3.56346011, -10.0667372, 8.42839146}, {-0.980528653, -20.4635735, -22.8927708, 4.65940285, 12.875617, -9.79612732, 9.2855978, 1.59080184, -12.3957062, -10.0048294, -0.41470772, 0.382171571, 1.23389101, 7.00298786, -3.37073636, -15.8501482}, {-3.41413879, 21.32271, -126.346748, 12.514183, 52.8679466, -34.9023514, -19.5294132, 7.61503267, 67.2580795, -23.6520405, -0.981846213, -10.1486645, 4.30287647, 9.97109127, 57.5363388, 64.3350067}, {2.75847197, 31.6674385, 37.0488701, -0.514403105, -7.02048826, 27.9310188, -20.1801472, -3.03520012, 37.1338501, 4.82661438, 0.201319367, 3.67253733, -3.53036284, -5.45088673, 9.61874866, 39.43153}, {1.02386546, -1.15475357, 28.4482861, -2.0172677, -10.1046762, 10.447279, 1.47887516, -1.82591808, -8.33815193, 4.32672024, 0.179841429, 2.65234256, -1.29966354, -2.08570147, -10.047658, -7.76664972}, {-2.56367993, 63.3759689, -121.287277, 8.22920418, 45.7973938, -26.6043663, -41.7400055, 6.90797281, 109.093414, -13.3140154, -0.55365479, -13.3968077, 3.23076296, 0.758872509, 79.8798294, 111.249001}, {1.46671438, -56.7226906, 54.2952843, 3.37792373, -8.20268536, 15.4904308, 29.9571705, -3.14032722, -65.9752655, -7.55027103, -0.311093599, 11.1677923, -1.88582933, 9.17649746, -48.7412643, -72.2852554}, {-2.17234516, -9.42417049, -21.2975998, -4.70548677, -5.34156895, -22.1873989, 10.529108, 1.9531244, -23.6182938, 5.91631794, 0.243677393, -5.4126029, 2.80357361, -2.09187579, -3.54751635, -22.0089073}}
// result: {{-0.348937392, 0.569665015, -0.384179085, 0.393900156}, {36.1998329, -9.0612278, -39.0641899, 73.0793839}, {39.8538475, -29.7601128, -16.4370594, 53.752758}, {-2.60380721, 1.13369799, -1.15801346, 8.5428524}, {-4.43371201, 0.701897323, -1.03672111, 15.7189045}, {19.084322, -28.391449, 18.7785759, -23.6729355}, {22.9837399, -2.59868932, -49.8490677, 133.060959}, {19.2433529, -3.55569124, -22.4501724, 40.5124245}, {54.301445, -10.2700319, -83.3506927, 194.453705}, {-6.48179388, 2.50346541, -3.68921256, 25.7244854}, {0.692462206, -0.266858906, 0.393894434, -2.74962473}, {6.83832264, -12.3332901, 10.8866873, -16.3754139}, {-0.802883148, 1.26293278, -0.861241698, 1.00613809}, {-0.391579062, 0.0421176404, 1.10648298, -3.27685857}, {29.6952496, -8.52913857, -33.950573, 71.8435745}, {8.90557289, -0.172107413, -34.7057419, 109.188034}}
