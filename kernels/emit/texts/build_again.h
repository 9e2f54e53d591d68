# Another mesh: with -DMESH=FILE the program is emitted for it, into the build's folder, and built
# from there. Only this asks for tess, in PATH; names stay, sizes and plan are the other mesh's.
set(from ${CMAKE_CURRENT_SOURCE_DIR})
if(DEFINED MESH)
  set(from ${CMAKE_CURRENT_BINARY_DIR}/emitted)
  get_filename_component(mesh ${MESH} ABSOLUTE BASE_DIR ${CMAKE_BINARY_DIR})
  if(NOT EXISTS ${mesh})
    set(mesh ${MESH}) # a generator's words
  endif()
  execute_process(COMMAND sh -c [==[@command --mesh "$1" -o "$2"]==] sh ${mesh} ${from}
                  WORKING_DIRECTORY [==[@folder]==] RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "tess emit ended with ${status}: no program for ${MESH}")
  endif()
endif()
