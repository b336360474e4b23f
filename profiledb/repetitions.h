// SPDX-License-Identifier: BSD-3-Clause
//
// Raw repetitions as a compact byte string, and back, without loss.
//
// Neighbours resemble each other, so runs of equal batch, round and disturbance are stored as
//   2 * length + disturbed, batch, round, then the total of each repetition,
// where batch, round and totals are differences to the ones before (0 at first). All numbers are
// variable-length integers, 7 bits per byte, least significant first, the top bit set on all but
// the last; differences are zigzag (0, -1, 1, -2 ... become 0, 1, 2, 3 ...). Mostly two bytes per
// repetition. The layout is part of the schema.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/sample.h"

namespace nmt {

std::string encode_repetitions(std::span<const Repetition> repetitions);

// Error(kFailed) for bytes that encode_repetitions() never makes.
std::vector<Repetition> decode_repetitions(std::string_view bytes);

}  // namespace nmt
