// SPDX-License-Identifier: Apache-2.0
// Counts the rows of ones in front of a row of zeros: the loop ends when a word of a vector says so.

.vmem rows, 0
  .fill word, 5 * 128, 1
  .zeros 128
.smem count
  .word 0

next:
  { vld v1, [s1 : 0] ; s.add s1, s1, 1 }
  nop
  nop
  nop
  push.scalar v1
  s.pop s2
  s.eq p1, s2, 1
  @p1 s.branch next
  s.sub s1, s1, 1
  s.store [count], s1
  halt

.expect smem, count
  .word 5
