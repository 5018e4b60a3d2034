module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xi32>, %arg1: tensor<6xi32>, %arg2: tensor<6xui32>, %arg3: tensor<6xui32>) -> (tensor<6xi32> {jax.result_info = "result[0]"}, tensor<6xui32> {jax.result_info = "result[1]"}) {
    %0 = chlo.mulhi %arg0, %arg1 : tensor<6xi32>, tensor<6xi32> -> tensor<6xi32>
    %1 = chlo.mulhi %arg2, %arg3 : tensor<6xui32>, tensor<6xui32> -> tensor<6xui32>
    return %0, %1 : tensor<6xi32>, tensor<6xui32>
  }
}
// argument: {1910852235, 537280937, 791046805, 1706020284, 336263522, 1184061023}
// argument: {1433020226, -1180226133, -1908977339, -858279271, -923130060, 1604399831}
// argument: {3919686768, 22614310, 2146567901, 3527149199, 564533598, 3423387129}
// argument: {511457569, 2009765319, 3506691144, 1301514362, 1467175557, 1195828898}
// result: {637557800, -147640939, -351595326, -340920372, -72274117, 442310074}
// result: {466768039, 10582026, 1752597896, 1068840580, 192846613, 953158656}
