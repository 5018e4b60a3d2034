module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3xcomplex<f32>>, %arg1: tensor<3x2xcomplex<f32>>) -> (tensor<3xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<4xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]"}, tensor<4x3xcomplex<f32>> {jax.result_info = "result[3]"}) {
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4x3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.multiply across dimensions = [1] : (tensor<4x3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %2 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
    %3 = stablehlo.abs %2 : (tensor<4x2xcomplex<f32>>) -> tensor<4x2xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<f32>
    %5 = stablehlo.real %arg0 : (tensor<4x3xcomplex<f32>>) -> tensor<4x3xf32>
    %6 = stablehlo.imag %arg0 : (tensor<4x3xcomplex<f32>>) -> tensor<4x3xf32>
    %7 = stablehlo.negate %6 : tensor<4x3xf32>
    %8 = stablehlo.complex %5, %7 : tensor<4x3xcomplex<f32>>
    %9 = stablehlo.real %arg0 : (tensor<4x3xcomplex<f32>>) -> tensor<4x3xf32>
    %10 = stablehlo.convert %9 : (tensor<4x3xf32>) -> tensor<4x3xcomplex<f32>>
    %cst_2 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<complex<f32>>) -> tensor<4x3xcomplex<f32>>
    %12 = stablehlo.multiply %11, %10 : tensor<4x3xcomplex<f32>>
    %13 = stablehlo.exponential %12 : tensor<4x3xcomplex<f32>>
    %14 = stablehlo.multiply %8, %13 : tensor<4x3xcomplex<f32>>
    return %0, %1, %4, %14 : tensor<3xcomplex<f32>>, tensor<4xcomplex<f32>>, tensor<f32>, tensor<4x3xcomplex<f32>>
  }
}
// argument: {{(0.105414249, 0.156751081), (-0.930468023, -0.18693094), (-0.0292518232, -2.51675963)}, {(0.695303202, -0.538692892), (-1.34421456, -0.0485009439), (-0.457615763, 0.113308989)}, {(-1.90122271, -1.53013575), (-1.28953779, -0.477753282), (-1.84173501, -0.978519082)}, {(-0.235091135, -0.808837235), (-1.26744652, 1.06089866), (0.271264344, -0.807534695)}}
// argument: {{(-0.0325217061, -1.22505581), (0.884389877, 0.0761402324)}, {(-0.583600461, 1.35882342), (-0.11170195, -1.54714465)}, {(0.110464141, 0.859382689), (0.0637817755, 0.119354025)}}
// result: {(-1.33559632, -2.72091484), (-4.83166695, 0.34771347), (-2.05733824, -4.18950462)}
// result: {(-0.414655298, 0.177953035), (0.361432612, -0.424799234), (-0.34943381, -6.99063826), (0.940042853, -0.723125041)}
// result: 3.52549648
// result: {{(0.121322319, -0.144789383), (-0.40601638, 0.857825518), (0.0443699993, 2.51653838)}, {(0.188798681, 0.8590644), (-0.254713833, 1.32075202), (-0.460592061, 0.100528985)}, {(2.06420636, 1.30192733), (0.101050377, 1.37147546), (1.43573737, 1.51266181)}, {(-0.0402207524, 0.841348827), (-1.39106929, 0.892666042), (0.0449662618, 0.850690722)}}
