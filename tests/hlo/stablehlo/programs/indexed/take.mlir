module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4x2xf32>, %arg1: tensor<3xi32>) -> (tensor<3x4x2xf32> {jax.result_info = "result[0]"}, tensor<4x3x2xf32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3xi1>, tensor<3xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4, 2>}> : (tensor<4x4x2xf32>, tensor<3x1xi32>) -> tensor<3x4x2xf32>
    %7 = call @_take(%arg0, %arg1) : (tensor<4x4x2xf32>, tensor<3xi32>) -> tensor<4x3x2xf32>
    return %6, %7 : tensor<3x4x2xf32>, tensor<4x3x2xf32>
  }
  func.func private @_take(%arg0: tensor<4x4x2xf32>, %arg1: tensor<3xi32>) -> tensor<4x3x2xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3xi32>
    %4 = call @_where(%1, %3, %arg1) : (tensor<3xi1>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<3x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<3x1xi32>, tensor<3x1xi32>) -> tensor<3x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<3x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<3x1xi1>, tensor<i1>) -> tensor<3xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1, 2>}> : (tensor<4x4x2xf32>, tensor<3x1xi32>) -> tensor<4x3x2xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<3xi1>) -> tensor<4x3x2xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3x2xf32>
    %16 = stablehlo.select %14, %13, %15 : tensor<4x3x2xi1>, tensor<4x3x2xf32>
    return %16 : tensor<4x3x2xf32>
  }
  func.func private @_where(%arg0: tensor<3xi1>, %arg1: tensor<3xi32>, %arg2: tensor<3xi32>) -> tensor<3xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// argument: {{{-0.234639362, 0.0808270499}, {-0.18811813, 0.519952834}, {-0.394839883, 0.854570508}, {0.241394863, -0.293076158}}, {{-0.111853369, -0.440587401}, {0.81388402, -0.271464497}, {0.294890404, -0.392404586}, {-1.48510182, 0.906104386}}, {{-1.05812657, 0.679160953}, {0.420152783, -1.6560334}, {-0.944681585, -0.514100611}, {-0.82071805, -1.18207073}}, {{0.740095675, -0.239505395}, {0.38569057, -0.430508465}, {0.305328578, -0.751150906}, {-0.0265167747, 0.58184582}}}
// argument: {1, 1, 2}
// result: {{{-0.111853369, -0.440587401}, {0.81388402, -0.271464497}, {0.294890404, -0.392404586}, {-1.48510182, 0.906104386}}, {{-0.111853369, -0.440587401}, {0.81388402, -0.271464497}, {0.294890404, -0.392404586}, {-1.48510182, 0.906104386}}, {{-1.05812657, 0.679160953}, {0.420152783, -1.6560334}, {-0.944681585, -0.514100611}, {-0.82071805, -1.18207073}}}
// result: {{{-0.18811813, 0.519952834}, {-0.18811813, 0.519952834}, {-0.394839883, 0.854570508}}, {{0.81388402, -0.271464497}, {0.81388402, -0.271464497}, {0.294890404, -0.392404586}}, {{0.420152783, -1.6560334}, {0.420152783, -1.6560334}, {-0.944681585, -0.514100611}}, {{0.38569057, -0.430508465}, {0.38569057, -0.430508465}, {0.305328578, -0.751150906}}}
