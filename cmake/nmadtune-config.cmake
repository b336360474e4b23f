# SPDX-License-Identifier: BSD-3-Clause
#
# find_package(nmadtune): the targets nmadtune::nmadtune, the shared library, nmadtune::static, and
# nmadtune::engine over the former. Only the static one needs SQLite's development files, so that
# they may be missing.
find_package(SQLite3 QUIET)
include(${CMAKE_CURRENT_LIST_DIR}/nmadtune-targets.cmake)
