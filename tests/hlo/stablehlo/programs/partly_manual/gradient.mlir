module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{?}, {?}]>, <@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}]>] manual_axes={"x"} (%arg2: tensor<4x8xf32>, %arg3: tensor<4x4xf32>) {
      %3 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      %4 = sdy.sharding_constraint %3 <@mesh, [{?}, {?}]> : tensor<4x8xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.reduce(%4 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
      %6 = sdy.sharding_constraint %5 <@mesh, []> : tensor<f32>
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %7 = sdy.sharding_constraint %cst_2 <@mesh, []> : tensor<f32>
      %8 = stablehlo.multiply %7, %6 : tensor<f32>
      %9 = sdy.sharding_constraint %8 <@mesh, []> : tensor<f32>
      %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %11 = sdy.sharding_constraint %10 <@mesh, [{?}]> : tensor<1xf32>
      sdy.return %11 : tensor<1xf32>
    } : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<2xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.divide %cst, %cst_0 : tensor<f32>
    %2 = sdy.manual_computation(%1, %arg1, %0) in_shardings=[<@mesh, []>, <@mesh, [{"x", ?}, {?}]>, <@mesh, [{"x", ?}]>] out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"x"} (%arg2: tensor<f32>, %arg3: tensor<4x4xf32>, %arg4: tensor<1xf32>) {
      %3 = stablehlo.reshape %arg4 : (tensor<1xf32>) -> tensor<f32>
      %4 = sdy.sharding_constraint %3 <@mesh, []> : tensor<f32>
      %5 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %15 = stablehlo.add %arg5, %arg6 : tensor<f32>
        %16 = sdy.sharding_constraint %15 <@mesh, []> : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %6 = stablehlo.multiply %5, %4 : tensor<f32>
      %7 = sdy.sharding_constraint %6 <@mesh, []> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
      %9 = sdy.sharding_constraint %8 <@mesh, [{?}, {?}]> : tensor<4x8xf32>
      %10 = stablehlo.dot_general %9, %arg3, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
      %11 = sdy.sharding_constraint %10 <@mesh, [{?}, {?}]> : tensor<8x4xf32>
      %12 = stablehlo.transpose %11, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
      %13 = sdy.sharding_constraint %12 <@mesh, [{?}, {?}]> : tensor<4x8xf32>
      %14 = "stablehlo.all_reduce"(%13) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %15 = stablehlo.add %arg5, %arg6 : tensor<f32>
        %16 = sdy.sharding_constraint %15 <@mesh, []> : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      sdy.return %14 : tensor<4x8xf32>
    } : (tensor<f32>, tensor<8x4xf32>, tensor<2xf32>) -> tensor<4x8xf32>
    return %2 : tensor<4x8xf32>
  }
}
// argument: {{1.61771572, -2.18814063, -0.337802559, 0.219198227, -0.374349236, -0.808157504, -0.0610785335, -0.00496540172}, {-0.0821174085, -1.87771213, -0.147403628, -0.855112672, -0.54773587, 0.22697477, 0.640728772, 0.896777332}, {-0.496413052, 0.924002767, 1.17372751, 1.13663793, 1.38976789, -0.145682499, -0.174131915, 0.825050771}, {-1.36652434, 0.209429041, -0.530559003, -0.368789047, -1.74151444, -0.890544295, -0.0204939302, 0.888453186}}
// argument: {{0.990026593, -0.0803264752, -0.189288363, -0.830679178}, {0.402356505, -0.247577995, 0.605884552, 1.75168681}, {-0.0323749557, -1.49735451, -0.860850453, -1.45814741}, {-1.1971097, 1.30527067, 0.226659566, -1.52017438}, {0.653632164, 1.2603749, -0.359874547, -0.67599082}, {-0.337377727, 0.284606516, 0.639970124, 1.18221688}, {1.21247816, 1.18540382, 1.36192143, 0.661387801}, {-1.53090656, -0.130964234, 0.313920498, -0.383126259}}
// result: {{2.41858006, 2.41858006, 2.41858006, 2.41858006, 2.41858006, 2.41858006, 2.41858006, 2.41858006}, {0.219237328, 0.219237328, 0.219237328, 0.219237328, 0.219237328, 0.219237328, 0.219237328, 0.219237328}, {2.75058532, 2.75058532, 2.75058532, 2.75058532, 2.75058532, 2.75058532, 2.75058532, 2.75058532}, {-28.2268181, -28.2268181, -28.2268181, -28.2268181, -28.2268181, -28.2268181, -28.2268181, -28.2268181}}
