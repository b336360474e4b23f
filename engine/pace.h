// SPDX-License-Identifier: BSD-3-Clause
//
// How much longer transfers of a link take than the profile says, learned from transfers that have
// completed.
//
// A profile is measured once. Since then the machine may have drifted, or a rail may have become
// slower. So each transfer also serves as a measurement for the next decision. Three kinds are kept
// apart, because what is true of one is not of another: small messages, large messages that go
// whole, and chunks of a message that goes over several rails at the same time.
//
// A factor is kept per power of two of the size, and sizes between two powers take what lies
// between their factors. Sizes that nothing was sent of take the factor of the nearest that was.
#pragma once

#include <array>
#include <cstdint>

namespace nmt::engine {

// The factors of one kind of transfer.
class Pace {
 public:
  enum class Estimate {
    kMedian,   // of the last few: one disturbed transfer changes nothing
    kShortest  // of the last few: what the rail can do when the peer looks for messages
  };
  explicit Pace(Estimate estimate = Estimate::kMedian) : estimate_(estimate) {}

  // Multiply durations of the profile by this; 1 before the first transfer.
  double factor(std::uint64_t size_bytes) const;

  // Whether a transfer of about this size has completed, and whether as many as an estimate takes.
  bool knows(std::uint64_t size_bytes) const;
  bool is_sure(std::uint64_t size_bytes) const;

  // A completed transfer. `predicted_ns` is by the profile alone; `actual_ns` excludes waiting for
  // others.
  void observe(std::uint64_t size_bytes, double predicted_ns, double actual_ns);

 private:
  static constexpr std::size_t kRecent = 5;
  static constexpr std::size_t kClasses = 64;

  struct Class {
    std::array<double, kRecent> recent{};  // ratios; the newest replaces the oldest
    std::uint64_t observed = 0;
    double factor = 1;
  };
  void add(Class& at, double ratio) const;
  double at_or_near(std::size_t index) const;
  const Class& class_of(std::uint64_t size_bytes) const;

  Estimate estimate_;
  std::array<Class, kClasses> classes_;
};

// What a message is to the link that sends it.
enum class SentAs { kSmall, kWhole, kChunk };

// All factors of a link.
class Paces {
 public:
  double factor(SentAs as, std::uint64_t size_bytes) const;
  bool knows(SentAs as, std::uint64_t size_bytes) const { return of(as).knows(size_bytes); }
  bool is_sure(SentAs as, std::uint64_t size_bytes) const { return of(as).is_sure(size_bytes); }
  void observe(SentAs as, std::uint64_t size_bytes, double predicted_ns, double actual_ns);

 private:
  const Pace& of(SentAs as) const;

  Pace small_{Pace::Estimate::kShortest}, whole_, chunk_;
};

}  // namespace nmt::engine
