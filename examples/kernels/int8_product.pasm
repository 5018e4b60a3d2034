// SPDX-License-Identifier: Apache-2.0
// c = a b for integers of 8 bits: a is [32, 128], b is [128, 128], c is s32, exact.
//
//   podsim kernel int8_product.pasm
//
// The matrix unit has no integers, but bf16 holds -128 to 127 exactly, and a sum of 128 products is at most
// 128 * 2^14 = 2^21, which f32 holds exactly. So integers are unpacked to f32, multiplied, and converted back.
//
// Four rows share a word: word l of sublane i has row 4 i in its lowest byte and row 4 i + 3 in its highest, at column
// l. A packed register is 32 rows.

.vmem a_packed                           // row r, column k: byte r % 4 of word k % 4 of these
  .repeat 8 * 32
    .word 0xfe03807f, 0x05ff0764, 0x807f0b9c, 0x0a0102d6
  .end
.vmem b_packed                           // rows 4 i to 4 i + 3, column n: n, 1, -3, 2
  .repeat 32
    .iota word, 128, 0x02fd0100
  .end
.vmem a
  .zeros 32 * 128
.vmem b
  .zeros 128 * 128
.vmem c
  .zeros 32 * 128

// Registers of b_packed follow those of a_packed in VMEM, and those of b follow those of a.
  mark "unpack"
  { s.mov s1, 5 ; s.mov s2, a_packed.row ; vld v1, [a_packed.row] }
  s.mov s3, a.row
  nop
  nop
unpack:
  { v.shl v2, v1, 24 ; v.shl v3, v1, 16 ; s.add s2, s2, 8 }   // each byte to the top,
  { v.shl v4, v1, 8 ; v.sar v5, v1, 24 ; vld v1, [s2] }       // then to the bottom with its sign
  { v.sar v2, v2, 24 ; v.sar v3, v3, 24 }
  { v.sar v4, v4, 24 ; v.cvt.s32.f32 v5, v5 }
  { v.cvt.s32.f32 v2, v2 ; v.cvt.s32.f32 v3, v3 }
  { v.cvt.s32.f32 v4, v4 ; vst [s3 + 3 : 4], v5 }             // sublane i is row 4 i + 3
  vst [s3 : 4], v2
  vst [s3 + 1 : 4], v3
  { vst [s3 + 2 : 4], v4 ; s.add s3, s3, 32 ; s.loop s1, unpack }
  fence                                  // a load sees a store after 8 cycles

  mark "weights"
  { s.mov s1, 16 ; s.mov s2, b.row + 120 }
next_weights:
  vld v1, [s2]
  s.sub s2, s2, 8
  nop
  nop
  { mxu.weights mxu0, v1 ; s.loop s1, next_weights }
  { mxu.latch mxu0 ; s.mov s1, 4 ; s.mov s2, a.row }

  mark "product"
next_push:
  vld v1, [s2]
  s.add s2, s2, 8
  nop
  nop
  { mxu.lhs mxu0, v1 ; s.loop s1, next_push }
  { s.mov s1, 4 ; s.mov s2, c.row }
next_pop:
  pop v2, mxu0
  v.cvt.f32.s32 v2, v2
  nop
  { vst [s2], v2 ; s.add s2, s2, 8 ; s.loop s1, next_pop }
  halt

// Row r, column n: 32 (a0 n + a1 - 3 a2 + 2 a3), where a0 to a3 are the first four elements of row r of a.
.expect vmem, c
  .repeat 8
    .iota word, 128, 32 * (100 + 3 * 100 - 2 * 42), 32 * 127
    .iota word, 128, 32 * (7 - 3 * 11 + 2 * 2), -32 * 128
    .iota word, 128, 32 * (-1 - 3 * 127 + 2), 32 * 3
    .iota word, 128, 32 * (5 + 3 * 128 + 2 * 10), -32 * 2
  .end
