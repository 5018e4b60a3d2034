module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8xi8>, %arg1: tensor<8x4xi8>) -> (tensor<3x4xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x8xi8>, tensor<8x4xi8>) -> tensor<3x4xi32>
    return %0 : tensor<3x4xi32>
  }
}
// argument: {{-116, -96, -13, -122, 71, 99, -53, -58}, {26, 93, -114, 2, -77, -2, -26, -28}, {-111, 100, -20, 102, -70, 87, 91, 69}}
// argument: {{-47, 43, -31, 118}, {76, -23, 14, 106}, {-116, -75, -73, -123}, {27, 46, -78, 61}, {-65, 96, 30, -8}, {-2, -82, -60, -45}, {14, -7, 33, 73}, {-118, 83, -59, -99}}
// result: {{-2341, -13162, 10580, -32857}, {27073, -1749, 7266, 28650}, {15399, -9645, -10043, 2641}}
