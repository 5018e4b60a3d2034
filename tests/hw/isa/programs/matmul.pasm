// SPDX-License-Identifier: Apache-2.0
// One 128 x 128 tile of weights and 128 rows of LHS through matrix unit 0, all in VMEM.

.vmem lhs                                // row m: 1 at m and m + 1
  .repeat 127
    .f32 1, 1
    .zeros 127
  .end
  .f32 1
.vmem weights                            // row k, column n: (128 k + n) / 16384
  .iota f32, 128 * 128, 0, 1.0 / 16384
.vmem result
  .zeros 128 * 128

  mark "weights"
  { s.mov s1, 16 ; s.mov s2, weights.row + 120 }
next_weights:                            // from the last eight rows to the first
  vld v1, [s2]
  nop
  nop
  nop
  { mxu.weights mxu0, v1 ; s.sub s2, s2, 8 ; s.loop s1, next_weights }
  { mxu.latch mxu0 ; s.mov s1, 16 ; s.mov s2, lhs.row }

  mark "push"
next_push:
  vld v1, [s2]
  nop
  nop
  nop
  { mxu.lhs mxu0, v1 ; s.add s2, s2, 8 ; s.loop s1, next_push }
  { s.mov s1, 16 ; s.mov s2, result.row }

  mark "pop"
next_pop:
  pop v2, mxu0                           // waits until the result is there
  { vst [s2], v2 ; s.add s2, s2, 8 ; s.loop s1, next_pop }
  halt

// Row m is the sum of rows m and m + 1 of the weights, which are rounded to bf16 on their way in.
.expect vmem, result, 0.004
  .iota f32, 127 * 128, 128 / 16384.0, 2 / 16384.0
  .iota f32, 128, 127 / 128.0, 1 / 16384.0
