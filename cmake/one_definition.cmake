# SPDX-License-Identifier: BSD-3-Clause
#
# Preset lto: do all sources of the product mean the same by each name of a type, a function and a
# variable? Where two do not, a program that holds both takes either for the other in silence. Only
# who reads all of them together can tell: gcc where it links what it compiled with -flto. Nothing
# is generated and nothing optimised, so that it costs little more than parsing.
get_property(parts GLOBAL PROPERTY NMADTUNE_MODULES)
list(APPEND parts nmad-sample nmad-tune nmad-bench)

# The MPIs are a check each: what is MPI_Comm to one is another type to the other.
set(checked)
foreach(mpi openmpi mpich)
  if(TARGET nmt_collectives_${mpi})
    list(APPEND checked ${mpi})
  endif()
endforeach()
if(NOT checked)
  set(checked none)
endif()

set(results)
foreach(mpi ${checked})
  set(objects)
  foreach(part ${parts} nmt_collectives_${mpi} nmadtune-interposed-${mpi})
    if(TARGET ${part})
      list(APPEND objects $<TARGET_OBJECTS:${part}>)
    endif()
  endforeach()
  set(list ${PROJECT_BINARY_DIR}/one_definition_${mpi}.txt)
  set(result ${PROJECT_BINARY_DIR}/one_definition_${mpi}.o)
  file(GENERATE OUTPUT ${list} CONTENT "$<JOIN:$<FILTER:${objects},EXCLUDE,[.]gch$>,\n>\n")
  add_custom_command(OUTPUT ${result}
    COMMAND ${CMAKE_CXX_COMPILER} -flto -flinker-output=rel -r -nostdlib -Wl,-z,muldefs
      -Werror=odr -Werror=lto-type-mismatch @${list} -o ${result}
    DEPENDS ${objects} ${list} COMMENT "Comparing definitions (${mpi})" VERBATIM)
  list(APPEND results ${result})
endforeach()
add_custom_target(one_definition DEPENDS ${results})
