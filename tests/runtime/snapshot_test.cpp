// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/error.h"
#include "tests/runtime/ask_everything.h"
#include "tests/runtime/planted.h"

namespace nmt::runtime {
namespace {

using testing::HasSubstr;

Plan small_plan() {
  std::mt19937_64 random(1);
  return planted::full_plan(random, {"a", "b"});
}

Storage image() { return compile(planted::provenance(), small_plan()); }

std::string refusal(std::span<const std::byte> bytes) {
  try {
    check(bytes, "p.nmt");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kDatabase);
    return error.what();
  }
  return "accepted";
}

Storage copy(std::span<const std::byte> bytes) {
  Storage storage = Storage::allocate(bytes.size());
  std::memcpy(storage.writable().data(), bytes.data(), bytes.size());
  return storage;
}

// With its digest made right again.
std::string refusal_of(Storage& changed) {
  auto* header = reinterpret_cast<SnapshotHeader*>(changed.writable().data());
  header->digest = snapshot_digest(changed.bytes());
  return refusal(changed.bytes());
}

TEST(Snapshot, KeepsItsTables) {
  const Storage snapshot = image();
  const View view = check(snapshot.bytes(), "p.nmt");
  EXPECT_EQ(view.paths.size(), 3u);
  EXPECT_EQ(view.pairs.size(), 1u);
  EXPECT_GT(view.pairs[0].pieces, 0u);
  EXPECT_EQ(view.companions.size(), 1u);
  EXPECT_STREQ(view.text_at(view.details[1].rail), "b");
  EXPECT_STREQ(view.text_at(view.profile->platform), "planted");
}

TEST(Snapshot, CutAnywhereIsRefused) {
  const Storage snapshot = image();
  for (std::size_t size = 0; size < snapshot.bytes().size(); ++size) {
    const Storage cut = copy(snapshot.bytes().first(size));
    ASSERT_NE(refusal(cut.bytes()), "accepted") << size;
  }
}

TEST(Snapshot, WithAnyByteFlippedIsRefused) {
  Storage snapshot = image();
  const std::span<std::byte> bytes = snapshot.writable();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    bytes[at] ^= std::byte{0xff};
    ASSERT_NE(refusal(bytes), "accepted") << at;
    bytes[at] ^= std::byte{0xff};
  }
  EXPECT_EQ(refusal(bytes), "accepted");
}

TEST(Snapshot, WithATableThatBeginsInItsMiddleIsRefused) {
  Storage forged = image();
  const View view = check(forged.bytes(), "p.nmt");
  auto& table = const_cast<TimeTable&>(view.paths[0].inverse);
  table.first[0] = static_cast<std::uint8_t>(table.pieces - 1);
  EXPECT_THAT(refusal_of(forged), HasSubstr("begins in its middle"));
}

// Past the digest: whatever is accepted must answer every question without harm.
TEST(Snapshot, WithAnyByteForgedIsRefusedOrHarmless) {
  const Storage original = image();
  const std::size_t size = original.bytes().size();
  int accepted = 0;
  for (std::size_t at = 0; at < size; at += 3) {
    Storage forged = copy(original.bytes());
    forged.writable()[at] ^= std::byte{0x5a};
    if (refusal_of(forged) != "accepted") continue;
    ++accepted;
    if (accepted % 16 == 0) planted::ask_everything(forged.bytes());
  }
  EXPECT_GT(accepted, 100);
}

TEST(Snapshot, OfAnotherVersionIsRefusedWithBothNumbers) {
  Storage snapshot = image();
  reinterpret_cast<SnapshotHeader*>(snapshot.writable().data())->version = 7;
  EXPECT_THAT(refusal_of(snapshot),
              HasSubstr("p.nmt: has version 7, and this library reads versions 3 to 5"));
}

TEST(Snapshot, OfTheOtherByteOrderIsRefused) {
  Storage snapshot = image();
  reinterpret_cast<SnapshotHeader*>(snapshot.writable().data())->endian = 0x04030201;
  EXPECT_THAT(refusal_of(snapshot), HasSubstr("other byte order"));
}

TEST(Snapshot, OfAnotherKindOfFileIsRefused) {
  Storage text = Storage::allocate(128);
  EXPECT_THAT(refusal(text.bytes()), HasSubstr("not a snapshot"));
}

TEST(Snapshot, LengthsThatReachBeyondTheFileAreRefused) {
  const Storage original = image();
  for (const std::uint64_t count : {std::uint64_t{UINT32_MAX}, UINT64_MAX, UINT64_MAX / 2}) {
    Storage snapshot = copy(original.bytes());
    auto* sections =
        reinterpret_cast<Section*>(snapshot.writable().data() + sizeof(SnapshotHeader));
    sections[1].records = count;
    EXPECT_THAT(refusal_of(snapshot), HasSubstr("does not fit"));
    snapshot = copy(original.bytes());
    sections = reinterpret_cast<Section*>(snapshot.writable().data() + sizeof(SnapshotHeader));
    sections[1].offset = count - 63;
    EXPECT_THAT(refusal_of(snapshot), HasSubstr("does not fit"));
  }
}

// As of version 5 before it knew ratios of all sizes: no release wrote it.
TEST(Snapshot, RecordsOfAnotherLengthAreRefused) {
  Storage snapshot = image();
  const auto* header = reinterpret_cast<const SnapshotHeader*>(snapshot.bytes().data());
  auto* sections = reinterpret_cast<Section*>(snapshot.writable().data() + sizeof(SnapshotHeader));
  for (std::uint32_t i = 0; i < header->sections; ++i) {
    if (sections[i].kind == SectionKind::kSignature) sections[i].record_bytes -= 32;
  }
  EXPECT_THAT(refusal_of(snapshot), HasSubstr("records of another size"));
}

// `ratios`: whether there are any, where these predict.
TEST(Snapshot, RatiosOfAllSizesThatAreNotThereAreRefused) {
  for (const bool ratios : {true, false}) {
    Storage forged = image();
    const View view = check(forged.bytes(), "p.nmt");
    auto& signature = const_cast<SignatureRecord&>(view.signatures.back());
    ASSERT_NE(signature.by_ratios, 0u);
    if (!ratios) signature.small = 0;
    EXPECT_EQ(refusal_of(forged) == "accepted", ratios);
  }
}

TEST(Snapshot, SectionsItDoesNotKnowAreSkipped) {
  Storage snapshot = image();
  const auto* header = reinterpret_cast<const SnapshotHeader*>(snapshot.bytes().data());
  auto* sections = reinterpret_cast<Section*>(snapshot.writable().data() + sizeof(SnapshotHeader));
  for (std::uint32_t i = 0; i < header->sections; ++i) {
    if (sections[i].kind == SectionKind::kSignature) sections[i].kind = SectionKind{99};
  }
  EXPECT_EQ(refusal_of(snapshot), "accepted");
  EXPECT_TRUE(check(snapshot.bytes(), "p.nmt").signatures.empty());
}

TEST(Snapshot, OfAPlanWithoutRailsHasNoPaths) {
  const Storage snapshot = compile(planted::provenance(), planted::plan({}));
  EXPECT_TRUE(check(snapshot.bytes(), "p.nmt").paths.empty());
}

TEST(Snapshot, OfImpossibleDurationsIsNotMade) {
  const Plan plan = planted::plan({planted::plain_rail("r", {{0, 1}, {1, 1e200}})});
  EXPECT_THROW(compile(planted::provenance(), plan), Error);
}

}  // namespace
}  // namespace nmt::runtime
