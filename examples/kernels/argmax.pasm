// SPDX-License-Identifier: Apache-2.0
// The index of the largest of 4096 floats; of equal ones the first.
//
//   podsim kernel argmax.pasm
//
// Element i is in register i / 1024, sublane i / 128 % 8, lane i % 128. Each of the 1024 positions of a register keeps
// the largest element that it has seen, and its index. Then the cross-lane unit finds the largest of the positions, and
// the smallest index among those that hold it. It compares floats, so indices are f32, which is exact below 2^24. The
// index goes to the scalar unit, which could branch on it or fetch with it, and here stores it.

.const registers = 4
.const none      = 0f4b800000            // 2^24 as f32: more than any index

.vmem x
  .random f32, 2777, 1                   // from -1 to 1
  .f32 2                                 // the largest: element 2777
  .random f32, 1000, 2
  .f32 2                                 // as large, but later
  .random f32, 4096 - 3779, 3
.smem index                              // the result
  .word -1

  mark "positions"
  { vld v1, [x.row] ; v.lane v2 ; v.sublane v3 ; s.mov s1, registers - 1 ; s.mov s2, x.row + 8 }
  nop
  v.shl v3, v3, 7
  nop
  v.add.s32 v2, v2, v3
  nop
  v.cvt.s32.f32 v2, v2                   // v2: the index of the element in this position of the register
  nop
  v.mov v4, v2                           // v4: the index of v1, the largest so far
next:
  { vld v5, [s2] ; v.add.f32 v2, v2, 1024.0 }
  s.add s2, s2, 8
  nop
  nop
  v.lt.f32 vm1, v1, v5                   // more, not as much: the first of equal ones stays
  nop
  { v.mov v1, v5, vm1 ; v.mov v4, v2, vm1 ; s.loop s1, next }

  mark "largest"
  x.max.lanes v1
  pop v6, xlu
  x.max.sublanes v6
  pop v6, xlu                            // the largest, everywhere
  v.eq.f32 vm1, v1, v6
  nop
  v.select v7, v4, none, vm1
  nop

  mark "first"
  x.min.lanes v7
  pop v7, xlu
  x.min.sublanes v7
  pop v7, xlu
  v.cvt.f32.s32 v7, v7
  nop
  push.scalar v7                         // sublane 0, lane 0; all are equal
  s.pop s3                               // waits until it is there
  s.store [index], s3
  halt

.expect smem, index
  .word 2777
