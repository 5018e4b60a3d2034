// SPDX-License-Identifier: Apache-2.0
// Attention of one head: 8 queries, 128 keys and values of 128 elements. y = softmax(q k^T / sqrt(128)) v.
//
//   podsim kernel attention.pasm
//
// Keys enter matrix unit 0 as transposed weights, so that scores of a query are the 128 lanes of its row. Values enter
// matrix unit 1 as plain weights meanwhile. Both units round their operands to bf16.

.const scale = 0.08838834764831845       // 1 / sqrt(128)
// Query m is 256 at element m and 244 at element m + 16, and key j is 1 at element j: the scores of keys m and m + 16
// differ by 12 scale, and all others are 244 scale = 21.6 or more below both. So their weights are
// 1 / (1 + exp(-12 scale)) and what is left, and 126 exp(-21.6) = 5e-8 for all others together.
.const first  = 0.742795
.const second = 1.0 - first

.vmem q
  .repeat 7
    .f32 256
    .zeros 15
    .f32 244
    .zeros 112
  .end
  .f32 256
  .zeros 15
  .f32 244
  .zeros 104
.vmem k                                  // 1 at the diagonal
  .repeat 127
    .f32 1
    .zeros 128
  .end
  .f32 1
.vmem v                                  // row j, column n: (128 j + n) / 16384
  .iota f32, 128 * 128, 0, 1 / 16384.0
.vmem y
  .zeros 8 * 128

// Transposed weights go in from the first columns to the last, plain ones from the last rows to the first.
  mark "keys and values"
  { s.mov s1, 16 ; s.mov s2, k.row }
  { s.mov s3, v.row + 120 ; vld v1, [s2] }
next:
  vld v2, [s3]
  s.add s2, s2, 8
  nop
  { mxu.weights.transposed mxu0, v1 ; vld v1, [s2] }   // one load too many at the end, of the first rows of v
  { mxu.weights mxu1, v2 ; s.sub s3, s3, 8 ; s.loop s1, next }
  { mxu.latch mxu0 ; vld v3, [q.row] }
  mxu.latch mxu1

  mark "scores"
  nop
  nop
  mxu.lhs mxu0, v3
  pop v4, mxu0
  v.mul.f32 v4, v4, scale
  nop
  mark "softmax"
  x.max.lanes v4
  pop v5, xlu
  v.sub.f32 v5, v4, v5
  nop
  e.exp v5
  pop v6, eup
  { x.sum.lanes v6 ; mark "values" }
  mxu.lhs mxu1, v6                       // not divided yet: the sum takes 100 cycles, as the product does
  pop v7, xlu
  e.recip v7
  pop v7, eup
  pop v8, mxu1
  v.mul.f32 v8, v8, v7
  nop
  vst [y.row], v8
  halt

// first v[m] + second v[m + 16] in row m. bf16 rounds weights and values by 2^-9 of them.
.expect vmem, y, 0.004
  .iota f32, 8 * 128, second * 16 * 128 / 16384, 1 / 16384.0
