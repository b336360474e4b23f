// SPDX-License-Identifier: BSD-3-Clause
//
// Asks a profile everything about one message: advice_cpp PROFILE SIZE RAIL [RAIL]...
//
// PROFILE is a profile database or a flat snapshot, "-" the one of this platform. Where an answer
// is empty the profile does not know, and a communication stack decides as it did before.
#include <iostream>
#include <nmadtune.hpp>
#include <string>
#include <vector>

namespace {

nmadtune::Profile open_profile(const std::string& file) {
  return file == "-" ? nmadtune::Profile() : nmadtune::Profile(file);
}

void print_advice(const nmadtune::Path& path, std::uint64_t size_bytes) {
  constexpr const char* kNames[] = {"copy", "iovec", "rendezvous"};
  const auto method = path.method_for(size_bytes);
  std::cout << "  method: " << (method ? kNames[*method] : "unknown") << '\n';
  if (const auto prediction = path.predict(size_bytes)) {
    std::cout << "  duration: " << prediction->duration_ns << " ns, 95 % between "
              << prediction->low_ns << " and " << prediction->high_ns << " ns\n";
  }
  if (const auto together = path.aggregate(size_bytes, size_bytes)) {
    std::cout << "  two of them: " << (*together ? "aggregate" : "one by one") << '\n';
  }
}

void print_split(const nmadtune::Profile& profile, std::uint64_t size_bytes,
                 std::vector<nmt_share>& shares) {
  const auto split = profile.split(size_bytes, shares);
  if (!split) {
    std::cout << "split: unknown\n";
    return;
  }
  std::cout << "split into " << split->chunks << ", all there after " << split->end_ns << " ns\n";
  for (const nmt_share& share : shares) {
    std::cout << "  " << share.bytes << " B from " << share.offset_bytes << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::cerr << "usage: advice_cpp PROFILE SIZE RAIL [RAIL]...\n";
    return 2;
  }
  const nmadtune::Profile profile = open_profile(argv[1]);
  const std::uint64_t size_bytes = std::stoull(argv[2]);
  std::vector<nmt_share> shares;
  for (int i = 3; i < argc; ++i) {
    const nmadtune::Path path = profile.path(argv[i]);
    shares.push_back(nmadtune::share(path));
    std::cout << size_bytes << " B over " << argv[i] << '\n';
    print_advice(path, size_bytes);
  }
  print_split(profile, size_bytes, shares);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "advice_cpp: " << error.what() << '\n';
  return 1;
}
