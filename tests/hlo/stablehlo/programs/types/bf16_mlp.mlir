module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8xbf16>, %arg1: tensor<8x4xbf16>) -> (tensor<3x4xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x8xbf16>, tensor<8x4xbf16>) -> tensor<3x4xbf16>
    %1 = call @relu(%0) : (tensor<3x4xbf16>) -> tensor<3x4xbf16>
    return %1 : tensor<3x4xbf16>
  }
  func.func private @relu(%arg0: tensor<3x4xbf16>) -> tensor<3x4xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<3x4xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<3x4xbf16>
    return %1 : tensor<3x4xbf16>
  }
}
// argument: {{1.5546875, -2.703125, -0.69140625, 0.6875, -1.6484375, 2.59375, -2.59375, 1.4375}, {1.5546875, 0.91796875, -0.221679688, 0.357421875, -0.8984375, 0.80859375, -1.1171875, -0.2734375}, {0.99609375, -1.1171875, -0.365234375, 0.1640625, -1.34375, 1.1640625, 0.33984375, -1.515625}}
// argument: {{-0.046875, -0.7734375, -0.65625, 0.0766601562}, {-0.7109375, 0.96484375, -0.703125, 0.98046875}, {-0.0437011719, 0.85546875, -0.54296875, -0.50390625}, {-1.15625, 0.578125, 0.9375, 2.125}, {1.2890625, 0.25, -0.2109375, 0.388671875}, {-0.0277099609, 1.4609375, 0.9453125, -0.8359375}, {-0.6875, 1.3671875, 0.30859375, -0.231445312}, {1.1875, -0.38671875, -0.279296875, -0.4609375}}
// result: {{2.375, 0, 3.5, 0}, {0, 0, 0, 1.25}, {0, 0.349609375, 2.390625, 0}}
