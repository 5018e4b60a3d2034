// SPDX-License-Identifier: Apache-2.0
// Embedding lookup with hashed tokens: rows of a table in HBM, chosen by indices that the vector unit computes.
//
//   podsim kernel hashed_gather.pasm
//
// The vector unit hashes all tokens at once. `push.scalar` sends lane 0 of a register to the scalar unit, so the
// cross-lane unit moves each index there: all rotations are pushed before the first is popped. `s.pop` waits until the
// word is there. The rest is that of gather.pasm.

.const entries = 64                      // rows of the table, a power of 2
.const width   = 128                     // words of a row
.const count   = 8                       // tokens
.const fetched = 0                       // sync flags
.const stored  = 1

.hbm table                               // row r: 128 r, 128 r + 1, ...
  .iota f32, entries * width
.hbm result
  .zeros count * width

.vmem tokens                             // in the first lanes of a row; their row is (5 token + 3) % 64
  .word 90, 12, 25, 54, 182, 353, 38, 1023
.vmem rows
  .zeros count * width

.dma fetch { route = hbm_to_vmem ; source = table ; destination = rows ; words = width ; flag = fetched }
.dma store { route = vmem_to_hbm ; source = rows ; destination = result ; words = count * width ; flag = stored }

  mark "hash"
  { vld v1, [tokens.row] ; s.mov s1, count ; s.mov s2, 0 }
  s.mov s3, rows                         // s3: the destination, in words
  nop
  nop
  v.mul.s32 v1, v1, 5
  nop
  v.add.s32 v1, v1, 3
  nop
  v.and v1, v1, entries - 1
  nop

  mark "rotate"
rotate:                                  // by 0, -1, -2, ...: lane i comes to lane 0
  { x.rotate.lanes v1, s2 ; s.sub s2, s2, 1 ; s.loop s1, rotate }
  s.mov s1, count

  mark "rows"
next:
  pop v2, xlu
  push.scalar v2
  s.pop s4                               // the index
  s.mul s4, s4, width
  s.add s4, s4, table                    // the source, in words
  { s.store [fetch + 1], s4 ; s.store [fetch + 2], s3 }
  { dma fetch ; s.add s3, s3, width ; s.loop s1, next }
  sync.wait fetched, count

  mark "result"
  dma store
  sync.wait stored, 1
  halt

.expect hbm, result
  .iota f32, width, 5 * width            // 5 * 90 + 3 = 7 * 64 + 5
  .iota f32, width, 63 * width           // 5 * 12 + 3 = 63
  .iota f32, width, 0                    // 5 * 25 + 3 = 2 * 64
  .iota f32, width, 17 * width           // 5 * 54 + 3 = 4 * 64 + 17
  .iota f32, width, 17 * width           // 5 * 182 + 3 = 14 * 64 + 17
  .iota f32, width, 40 * width           // 5 * 353 + 3 = 27 * 64 + 40
  .iota f32, width, width                // 5 * 38 + 3 = 3 * 64 + 1
  .iota f32, width, 62 * width           // 5 * 1023 + 3 = 79 * 64 + 62
