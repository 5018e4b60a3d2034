module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xf32> {jax.result_info = "result[0]"}, tensor<6xf32> {jax.result_info = "result[1]"}, tensor<6xf32> {jax.result_info = "result[2]"}, tensor<6xf32> {jax.result_info = "result[3]"}, tensor<6xf32> {jax.result_info = "result[4]"}, tensor<6xf32> {jax.result_info = "result[5]"}, tensor<6xf32> {jax.result_info = "result[6]"}, tensor<6xf32> {jax.result_info = "result[7]"}) {
    %0 = chlo.erf %arg0 : tensor<6xf32> -> tensor<6xf32>
    %1 = stablehlo.tanh %arg0 : tensor<6xf32>
    %2 = chlo.erf_inv %1 : tensor<6xf32> -> tensor<6xf32>
    %3 = stablehlo.abs %arg0 : tensor<6xf32>
    %4 = stablehlo.log_plus_one %3 : tensor<6xf32>
    %5 = stablehlo.exponential_minus_one %arg0 : tensor<6xf32>
    %6 = stablehlo.cbrt %arg0 : tensor<6xf32>
    %7 = chlo.atan %arg0 : tensor<6xf32> -> tensor<6xf32>
    %8 = chlo.sinh %arg0 : tensor<6xf32> -> tensor<6xf32>
    %9 = chlo.erfc %arg0 : tensor<6xf32> -> tensor<6xf32>
    return %0, %2, %4, %5, %6, %7, %8, %9 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
  }
}
// argument: {-0.0946053267, 1.00348508, 0.992765546, 0.322779149, 0.0268919058, -0.252892315}
// result: {-0.106433064, 0.844142437, 0.839675844, 0.351954192, 0.0303369537, -0.279390037}
// result: {-0.0837882087, 0.836263299, 0.828264713, 0.283970386, 0.0238310974, -0.223108575}
// result: {0.0903938636, 0.694888294, 0.689523399, 0.279734939, 0.0265366733, 0.225454733}
// result: {-0.0902680829, 1.72777176, 1.69868755, 0.380960345, 0.0272567514, -0.223448485}
// result: {-0.455657512, 1.00116038, 0.997582674, 0.685964823, 0.299599111, -0.632380605}
// result: {-0.0943245888, 0.787137687, 0.781767786, 0.312221915, 0.0268854275, -0.247698992}
// result: {-0.0947465003, 1.1805861, 1.16406846, 0.328413308, 0.0268951431, -0.255596519}
// result: {1.10643303, 0.155857578, 0.160324126, 0.648045838, 0.969663024, 1.2793901}
