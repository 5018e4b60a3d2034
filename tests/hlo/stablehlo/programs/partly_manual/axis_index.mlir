module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<4x8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{?}, {"y", ?}]>] out_shardings=[<@mesh, [{?}, {"y", ?}]>] manual_axes={"y"} (%arg1: tensor<4x2xf32>) {
      %1 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={"x"} () {
        %c = stablehlo.constant dense<1> : tensor<ui32>
        %c_0 = stablehlo.constant dense<4> : tensor<ui32>
        %8 = stablehlo.partition_id : tensor<ui32>
        %9 = stablehlo.divide %8, %c : tensor<ui32>
        %10 = stablehlo.remainder %9, %c_0 : tensor<ui32>
        %11 = stablehlo.convert %10 : (tensor<ui32>) -> tensor<i32>
        sdy.return %11 : tensor<i32>
      } : () -> tensor<i32>
      %2 = stablehlo.convert %1 : (tensor<i32>) -> tensor<f32>
      %3 = sdy.sharding_constraint %2 <@mesh, []> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
      %5 = sdy.sharding_constraint %4 <@mesh, [{?}, {?}]> : tensor<4x2xf32>
      %6 = stablehlo.add %arg1, %5 : tensor<4x2xf32>
      %7 = sdy.sharding_constraint %6 <@mesh, [{?}, {?}]> : tensor<4x2xf32>
      sdy.return %7 : tensor<4x2xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
// argument: {{-0.238660559, 0.532374263, 0.708121836, -1.11376882, -0.207158789, 0.918275833, 0.269837618, 0.121954046}, {1.55401766, -0.67777276, 0.0827458948, -0.520058692, 1.49030828, -1.95186043, -0.670141697, -0.529156983}, {0.663539648, 0.606275499, 1.39519429, -1.57403278, 0.750474989, -0.293279856, -0.665625215, 0.539568543}, {-0.920139611, -2.07691336, -0.370218486, -1.49777091, -0.648915827, 0.371554762, 0.311999738, 1.5868994}}
// result: {{-0.238660559, 0.532374263, 1.70812178, -0.113768816, 1.7928412, 2.91827583, 3.26983762, 3.12195396}, {1.55401766, -0.67777276, 1.08274591, 0.479941308, 3.49030828, 0.0481395721, 2.3298583, 2.47084308}, {0.663539648, 0.606275499, 2.39519429, -0.574032784, 2.75047493, 1.70672011, 2.3343749, 3.53956842}, {-0.920139611, -2.07691336, 0.629781485, -0.497770905, 1.35108423, 2.37155485, 3.3119998, 4.58689928}}
