# SPDX-License-Identifier: BSD-3-Clause
#
# Writes a source that holds files as texts, with their hashes for a Content-Security-Policy:
#   cmake -DOUTPUT=SOURCE -DFILES=FILE,... -P embed.cmake
set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

# Hexadecimal digits of a number of bytes that leaves 2 when divided by 3 (SHA-256 has 32).
function(base64_of hex result)
  set(text "")
  string(LENGTH "${hex}" digits)
  set(at 0)
  while(at LESS digits)  # three digits are two characters
    string(SUBSTRING "${hex}000" ${at} 3 three)
    math(EXPR value "0x${three}")
    math(EXPR high "${value} / 64")
    math(EXPR low "${value} % 64")
    string(SUBSTRING "${alphabet}" ${high} 1 first)
    string(SUBSTRING "${alphabet}" ${low} 1 second)
    string(APPEND text ${first}${second})
    math(EXPR at "${at} + 3")
  endwhile()
  string(SUBSTRING "${text}" 0 43 text)
  set(${result} "${text}=" PARENT_SCOPE)
endfunction()

set(rows "")
string(REPLACE "," ";" FILES "${FILES}")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(SHA256 ${file} hex)
  base64_of(${hex} hash)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(MAKE_C_IDENTIFIER ${name} identifier)
  string(APPEND texts "constexpr char k_${identifier}[] = {${bytes}};\n")
  string(APPEND rows
    "    {\"${name}\", {k_${identifier}, sizeof k_${identifier}}, \"sha256-${hash}\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by tools/report/embed.cmake.
#include \"tools/report/assets.h\"

namespace nmt::tools {
namespace {
${texts}
constexpr Asset kAssets[] = {
${rows}};
}  // namespace

std::span<const Asset> report_assets() { return kAssets; }

}  // namespace nmt::tools
")
