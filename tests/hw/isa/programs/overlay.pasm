// SPDX-License-Identifier: Apache-2.0
// Two pieces of code take turns in the same place of instruction memory.

.const there = 64                        // the bundle address of both

.dma fetch_double { route = hbm_to_imem ; source = double.image ; destination = double ; words = double.words }
.dma fetch_square { route = hbm_to_imem ; source = square.image ; destination = square ; words = square.words }

  { s.mov s1, 7 ; dma fetch_double }
  sync.wait 0, 1
  s.branch double
doubled:
  dma fetch_square
  sync.wait 0, 2
  s.branch square
squared:
  s.store [answer], s1
  halt

.smem answer
  .word 0

.overlay double, there
  { s.add s1, s1, s1 ; s.branch doubled }

.overlay square, there
  { s.mul s1, s1, s1 ; s.branch squared }

.expect smem, answer
  .word 196                              // (2 * 7) squared
