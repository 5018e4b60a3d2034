module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<5x3xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:5 = stablehlo.while(%iterArg = %arg2, %iterArg_2 = %arg0, %iterArg_3 = %c, %iterArg_4 = %arg1, %iterArg_5 = %0) : tensor<5x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<3xf32>, tensor<5xf32>
    cond {
      %c_6 = stablehlo.constant dense<5> : tensor<i32>
      %5 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %5 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_3) : (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>
      %6:2 = func.call @closed_call(%iterArg_2, %iterArg_4, %5) : (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>)
      %7 = func.call @dynamic_update_index_in_dim(%iterArg_5, %6#1, %iterArg_3) : (tensor<5xf32>, tensor<f32>, tensor<i32>) -> tensor<5xf32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %8, %6#0, %7 : tensor<5x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<3xf32>, tensor<5xf32>
    }
    %2 = stablehlo.multiply %1#4, %1#4 : tensor<5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %4 = stablehlo.divide %3, %cst_1 : tensor<f32>
    return %4 : tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5x3xf32>, %arg1: tensor<i32>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 3] : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x3xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @closed_call(%arg0: tensor<3x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<3xf32>
    %2 = stablehlo.tanh %1 : tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %2, %3 : tensor<3xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
    return %1 : tensor<5xf32>
  }
}
// training: adam 0-1
// argument: {{0.943286896, -2.11872697, -0.193401635}, {1.08052731, -0.69380182, -0.33913973}, {0.926316917, -0.2936638, -1.22138381}}
// argument: {-0.71162343, -1.3501606, 0.527247429}
// argument: {{-1.74829912, 0.974567652, -1.669788}, {0.0188521575, -1.49143183, -0.341953456}, {0.995093703, 1.09510589, 1.27740121}, {-0.115187451, 0.0809144601, 0.205899432}, {0.589095712, -0.42530337, 1.07317233}}
// argument: {{0.0299053136, 0.111700855, 0.0451103188}, {0.0651281625, 0.0756145343, 0.0442312732}, {0.131754845, 0.0322000384, 0.0202405937}}
// argument: {{0.0148317572, 0.123153202, 0.101303205}, {0.254632562, 0.0288725104, 0.144678205}, {0.245090947, 0.0742232278, 0.0942267478}}
// argument: {0.0809242353, 0.128504008, 0.320736736}
// argument: {0.0493103378, 0.0197310019, 0.189269558}
// argument: 0.00999999978
// argument: 3
// result: {{0.943378568, -2.11921811, -0.193520501}, {1.08022189, -0.694741428, -0.339125037}, {0.925761282, -0.293839723, -1.22199965}}
// result: {-0.712284207, -1.35181427, 0.525917113}
// result: {{-0.00560007058, 0.0856388807, 0.0187530834}, {0.0760022104, 0.0790685117, -0.00270207599}, {0.135884643, 0.0237548836, 0.0939958692}}
// result: {{0.0149226477, 0.123052232, 0.101249628}, {0.254408151, 0.0288557708, 0.144714236}, {0.244875804, 0.074151732, 0.0947067738}}
// result: {0.0726009607, 0.114934221, 0.286358178}
// result: {0.0492610335, 0.0197113231, 0.189080819}
// result: 1.40354455
