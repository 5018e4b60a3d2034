module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x4xf32>, %arg1: tensor<i32>) -> (tensor<2x2xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg1 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.dynamic_slice %arg0, %2, %c_1, sizes = [2, 2] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
    return %3 : tensor<2x2xf32>
  }
}
// argument: {{0.107851088, -1.17107844, -0.19822371, -0.883833587}, {2.10020947, 0.497684956, -1.56871116, 0.546164572}, {-0.398739964, 1.91678333, -1.05269659, -2.24702954}, {0.0658691823, -0.348027349, -0.416585743, -2.14123917}, {0.426809341, 1.67334509, -1.90904903, 1.17122364}}
// argument: 3
// result: {{-0.348027349, -0.416585743}, {1.67334509, -1.90904903}}
