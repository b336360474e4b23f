// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack/loaded_library.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/tools/sandbox.h"

namespace nmt::testing {
namespace {

namespace fs = std::filesystem;

// What the kernel would tell of a process, in a folder.
class StackNetwork : public Sandbox {
 protected:
  tools::LoadedStack look(const std::string& maps, const std::string& open_file) const {
    write("maps", maps);
    fs::create_directory(path("fd"));
    fs::create_symlink(open_file, fs::path(path("fd")) / "3");
    return tools::loaded_stack(path(""));
  }
};

constexpr char kOpenMpi[] =
    "7f00-7f01 r-xp 00000000 fe:01 11 /usr/lib/x/libmpi.so.40.30.4\n"
    "7f04-7f05 rw-p 00000000 00:00 0 \n";

TEST_F(StackNetwork, IsVerbsWhereADeviceOfTheirsIsOpen) {
  const tools::LoadedStack loaded = look(kOpenMpi, "/dev/infiniband/uverbs1");
  EXPECT_EQ(loaded.network, stacks::Transport::kVerbs);
  EXPECT_EQ(loaded.library_file, "/usr/lib/x/libmpi.so.40.30.4");
}

TEST_F(StackNetwork, IsTcpWhereNoneIs) {
  EXPECT_EQ(look(kOpenMpi, "/dev/infiniband/rdma_cm").network, stacks::Transport::kTcp);
}

TEST_F(StackNetwork, OfThisProcessIsNoMpiAtAll) {
  const tools::LoadedStack loaded = tools::loaded_stack();
  EXPECT_EQ(loaded.library_file, "");
  EXPECT_EQ(loaded.network, stacks::Transport::kTcp);
}

}  // namespace
}  // namespace nmt::testing
