module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf16>) -> (tensor<5xf16> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f16>) -> tensor<4x5xf16>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4x5xf16>
    %2 = stablehlo.convert %1 : (tensor<4x5xf16>) -> tensor<4x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf32>
    %4 = stablehlo.convert %3 : (tensor<5xf32>) -> tensor<5xf16>
    return %4 : tensor<5xf16>
  }
}
// argument: {{-1.96191406, 0.864257812, -1.20898438, -0.568847656, -0.743652344}, {0.727050781, -0.0686035156, 0.0154190063, -1.6796875, -0.0874633789}, {-1.4765625, 0.307128906, 0.366699219, -0.0173950195, 2.04296875}, {0.527832031, 0.595703125, 0.142333984, -0.192749023, 0.965820312}}
// result: {-4.3671875, 3.39648438, -1.36914062, -4.91796875, 4.35546875}
