// SPDX-License-Identifier: BSD-3-Clause
//
// A wire over a connected socket.
#pragma once

#include <string>

#include "control/wire.h"
#include "core/descriptor.h"

namespace nmt::control {

class SocketWire final : public Wire {
 public:
  // Takes a connected, non-blocking socket; messages name `peer`.
  SocketWire(Descriptor descriptor, std::string peer);

  void write(std::string_view bytes) override;
  void read(std::span<std::uint8_t> to, const Deadline& deadline) override;
  bool readable(std::chrono::milliseconds timeout) const override;

  Descriptor take() { return std::move(descriptor_); }

 private:
  Descriptor descriptor_;
  std::string peer_;
};

}  // namespace nmt::control
