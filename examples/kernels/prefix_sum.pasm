// SPDX-License-Identifier: Apache-2.0
// Prefix sums along the 128 lanes of 8 rows: y[l] = x[0] + ... + x[l].
//
//   podsim kernel prefix_sum.pasm
//
// Seven steps with d = 1, 2, 4, ..., 64 (Hillis and Steele, 1986): every lane l from d on adds lane l - d. A rotation
// goes round at the ends, so lanes below d are masked. A step waits 100 cycles for the cross-lane unit; more rows would
// go through it in that time.

.vmem x
  .fill f32, 128, 1                      // row 0: 1, 1, 1, ...
  .fill f32, 128, 0.5
  .zeros 64                              // row 2: 0 in the first half
  .fill f32, 64, 3
  .f32 5                                 // row 3: 5, 0, 0, ...
  .zeros 127
  .repeat 64                             // row 4: 1, -1, 1, -1, ...
    .f32 1, -1
  .end
  .fill f32, 128, -2
  .zeros 127                             // row 6: only the last lane
  .f32 9
  .zeros 128
.vmem y
  .zeros 8 * 128

  { vld v1, [x.row] ; v.lane v2 ; s.mov s1, 7 ; s.mov s2, 1 }
  nop
  nop
  nop
step:                                    // s2: d
  { x.rotate.lanes v1, s2 ; v.splat v3, s2 }
  nop
  v.le.s32 vm1, v3, v2                   // lanes from d on
  { pop v4, xlu ; s.shl s2, s2, 1 }
  { v.add.f32 v1, v1, v4, vm1 ; s.loop s1, step }

  nop                                    // v1 was written in the bundle of a branch that is not taken
  vst [y.row], v1
  halt

.expect vmem, y
  .iota f32, 128, 1
  .iota f32, 128, 0.5, 0.5
  .zeros 64
  .iota f32, 64, 3, 3
  .fill f32, 128, 5
  .repeat 64
    .f32 1, 0
  .end
  .iota f32, 128, -2, -2
  .zeros 127
  .f32 9
  .zeros 128
