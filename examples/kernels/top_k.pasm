// SPDX-License-Identifier: Apache-2.0
// The 4 largest of 1024 floats and their indices, in falling order; of equal ones the first comes first.
//
//   podsim kernel top_k.pasm
//
// The vector is one register. Each round finds the largest value as argmax.pasm does, stores it and its index, and
// replaces that one element by -inf. Four operations of the cross-lane unit depend on each other in a round, 100 cycles
// each, so this is for a small k.

.const k    = 4
.const none = 0f4b800000                 // 2^24 as f32: more than any index

.vmem x
  .random f32, 100, 1                    // from -1 to 1
  .f32 7                                 // element 100
  .random f32, 399, 2
  .f32 9                                 // element 500
  .random f32, 499, 3
  .f32 7                                 // element 1000
  .random f32, 22, 4
  .f32 8                                 // element 1023
.vmem values                             // row i: the i-th largest in every lane
  .zeros k * 128
.vmem indices
  .zeros k * 128

  { vld v1, [x.row] ; v.lane v2 ; v.sublane v3 ; s.mov s1, k ; s.mov s2, 0 }
  nop
  v.shl v3, v3, 7
  nop
  v.add.s32 v2, v2, v3
  nop
  v.cvt.s32.f32 v2, v2                   // v2: the index of each element
  nop
round:                                   // s2: rows stored so far
  x.max.lanes v1
  pop v4, xlu
  x.max.sublanes v4
  pop v4, xlu                            // v4: the largest, everywhere
  { v.eq.f32 vm1, v1, v4 ; vst [s2 + values.row : 0], v4 }   // stride 0: eight equal rows into one
  nop
  v.select v5, v2, none, vm1
  nop
  x.min.lanes v5
  pop v5, xlu
  x.min.sublanes v5
  pop v5, xlu                            // v5: the smallest of its indices
  { v.eq.f32 vm1, v2, v5 ; v.cvt.f32.s32 v6, v5 }
  nop
  { v.mov v1, -inf, vm1 ; vst [s2 + indices.row : 0], v6 ; s.add s2, s2, 1 ; s.loop s1, round }
  halt

.expect vmem, values
  .fill f32, 128, 9
  .fill f32, 128, 8
  .fill f32, 128, 7
  .fill f32, 128, 7
.expect vmem, indices
  .fill word, 128, 500
  .fill word, 128, 1023
  .fill word, 128, 100
  .fill word, 128, 1000
