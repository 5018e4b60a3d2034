// SPDX-License-Identifier: Apache-2.0
// b = a transposed, 128 x 128 floats, by the cross-lane unit.
//
//   podsim kernel transpose.pasm
//
// Sixteen registers of 8 rows go in, sixteen of 8 rows of the transpose come out, 8 cycles each; the first comes 100
// cycles after the last push.

.vmem a                                  // row r, column c: c - r modulo 129
  .repeat 127
    .iota f32, 129
  .end
  .f32 0
.vmem b
  .zeros 128 * 128

  mark "rows"
  { vld v1, [a.row] ; s.mov s1, 15 ; s.mov s2, a.row + 8 }
  nop
  nop
  nop
next:
  { x.transpose v1 ; vld v1, [s2] }      // a bundle reads before it writes: this pushes the previous load
  s.add s2, s2, 8
  s.loop s1, next
  x.transpose.end v1                     // the last of the 16

  mark "columns"
  { s.mov s1, 16 ; s.mov s2, b.row }
store:
  pop v2, xlu
  { vst [s2], v2 ; s.add s2, s2, 8 ; s.loop s1, store }
  halt

.expect vmem, b                          // row r, column c: r - c modulo 129
  .repeat 127
    .f32 0
    .iota f32, 128, 128, -1
  .end
  .f32 0
