module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x4xf32>, %arg1: tensor<2x2xf32>, %arg2: tensor<i32>) -> (tensor<5x4xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg2, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.add %arg2, %c_0 : tensor<i32>
    %2 = stablehlo.select %0, %1, %arg2 : tensor<i1>, tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.compare LT, %arg2, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<4> : tensor<i32>
    %4 = stablehlo.add %arg2, %c_2 : tensor<i32>
    %5 = stablehlo.select %3, %4, %arg2 : tensor<i1>, tensor<i32>
    %6 = stablehlo.dynamic_update_slice %arg0, %arg1, %2, %5 : (tensor<5x4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
    return %6 : tensor<5x4xf32>
  }
}
// argument: {{-0.568716884, 2.34900522, 0.436007917, -0.187844366}, {1.10538173, 0.526028454, -0.592455983, 0.710216939}, {-0.510695875, -1.78848791, 2.03159213, -0.349583089}, {-0.609013975, 0.33872205, -1.55963182, -1.35357869}, {-0.499646693, -0.519721806, 0.0718892738, 1.12255776}}
// argument: {{-0.474026978, 0.492798477}, {0.601544976, -1.08407533}}
// argument: 2
// result: {{-0.568716884, 2.34900522, 0.436007917, -0.187844366}, {1.10538173, 0.526028454, -0.592455983, 0.710216939}, {-0.510695875, -1.78848791, -0.474026978, 0.492798477}, {-0.609013975, 0.33872205, 0.601544976, -1.08407533}, {-0.499646693, -0.519721806, 0.0718892738, 1.12255776}}
