// SPDX-License-Identifier: BSD-3-Clause
//
// Raw repetitions as a compact byte string, and back, without loss.
//
// Neighbours are similar, so a run of equal batch, round and disturbance is stored as
//   2 * length + disturbed, batch, round, then the total of each repetition,
// where batch, round and totals are differences to the previous ones (0 at first). All numbers are
// variable-length integers: 7 bits per byte, least significant first, with the top bit set on all
// but the last byte. Differences are zigzag (0, -1, 1, -2 ... become 0, 1, 2, 3 ...). A repetition
// mostly takes two bytes. This layout is part of the schema.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sample.h"

namespace nmt::profiledb {

std::string encode_repetitions(std::span<const Repetition> repetitions);

// Error(kFailed) for bytes that encode_repetitions() never produces.
std::vector<Repetition> decode_repetitions(std::string_view bytes);

}  // namespace nmt::profiledb
