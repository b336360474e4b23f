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
//
// What was slow once may be fast again, and only another transfer can show that. So if many
// messages of a size in a row have gone another way, the profile counts again for this one, until
// it was tried once more. Each next time, it takes twice as many messages.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

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

  // Whether a transfer of about this size has completed, and whether as many as an estimate needs.
  bool knows(std::uint64_t size_bytes) const;
  bool is_sure(std::uint64_t size_bytes) const;

  // A completed transfer. `predicted_ns` is by the profile alone; `actual_ns` excludes waiting for
  // others.
  void observe(std::uint64_t size_bytes, double predicted_ns, double actual_ns);

  // A message of this size goes another way, or this one.
  void pass_over(std::uint64_t size_bytes);
  void take(std::uint64_t size_bytes);

 private:
  static constexpr std::size_t kRecent = 5;
  static constexpr std::size_t kClasses = 64;
  static constexpr std::uint64_t kPassedMax = 64;

  struct Class {
    std::array<double, kRecent> recent{};  // ratios; the newest replaces the oldest
    std::uint64_t observed = 0;
    double factor = 1;
    std::uint64_t passed_over = 0;  // in a row
    std::uint64_t passed_max = kPassedMax;

    bool is_stale() const { return passed_over >= passed_max; }
    void try_again();
  };
  template <class Change>
  void change_classes(std::uint64_t size_bytes, Change change);
  void add(Class& at, double ratio) const;
  double at_or_near(std::size_t index) const;

  Estimate estimate_;
  bool knows_any_ = false;
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
  void observe(SentAs as, std::uint64_t size_bytes, double predicted_ns, double actual_ns) {
    of(as).observe(size_bytes, predicted_ns, actual_ns);
  }
  void pass_over(SentAs as, std::uint64_t size_bytes) { of(as).pass_over(size_bytes); }
  void take(SentAs as, std::uint64_t size_bytes) { of(as).take(size_bytes); }

 private:
  const Pace& of(SentAs as) const;
  Pace& of(SentAs as) { return const_cast<Pace&>(std::as_const(*this).of(as)); }

  Pace small_{Pace::Estimate::kShortest}, whole_, chunk_;
};

}  // namespace nmt::engine
