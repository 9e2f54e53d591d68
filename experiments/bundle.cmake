# One archive with the programs and every library they need but those of the C library, so that it
# runs where nothing is installed: cmake --build --preset release --target bundle
#   tesselab-VERSION-linux-ARCH/bin  tess, tess-worker, tess-ptscotch
#                              /lib  their libraries, found through the programs' run path
#                              /share/tesselab  the meshes that ship, and recipes, the scripts for ParaView,
#                                               the Python package, machine code for GPUs
#                              /share/doc/tesselab  our licence, and those of the libraries by package
#                              /share/man and the folders of bash, zsh and fish: pages, completions
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${PROGRAMS} RESOLVED_DEPENDENCIES_VAR libraries
     UNRESOLVED_DEPENDENCIES_VAR missing
     PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|util)\\.so")
if(missing)
  message(FATAL_ERROR "these libraries are not found: ${missing}")
endif()
file(REMOVE_RECURSE ${STAGE})
file(INSTALL ${PROGRAMS} DESTINATION ${STAGE}/bin USE_SOURCE_PERMISSIONS)
file(INSTALL ${libraries} DESTINATION ${STAGE}/lib FOLLOW_SYMLINK_CHAIN)
set(licences ${STAGE}/share/doc/tesselab)
file(INSTALL ${SOURCE}/LICENSE ${SOURCE}/CHANGELOG.md DESTINATION ${licences})
set(LIBRARIES ${libraries} ${TAKEN_IN}) # those that are part of the programs, too
set(INTO ${licences}/licences)
include(${SOURCE}/experiments/licences.cmake)
file(GLOB data ${SOURCE}/data/meshes/*.xz ${SOURCE}/data/meshes/README.md ${SOURCE}/data/meshes/LICENSES)
file(INSTALL ${data} DESTINATION ${STAGE}/share/tesselab)
file(INSTALL ${SOURCE}/experiments/recipes DESTINATION ${STAGE}/share/tesselab)
file(GLOB scripts ${SOURCE}/viz/scripts/*.py)
file(INSTALL ${scripts} DESTINATION ${STAGE}/share/tesselab/scripts)
file(INSTALL ${SOURCE}/python/tesselab DESTINATION ${STAGE}/share/tesselab/python FILES_MATCHING
     PATTERN "*.py" PATTERN "*.json" PATTERN "page/*" PATTERN "__pycache__" EXCLUDE)
list(GET PROGRAMS 0 TESS)
get_filename_component(beside ${TESS} DIRECTORY)
file(GLOB code ${beside}/../share/tesselab/gpu/*.code)
file(INSTALL ${code} DESTINATION ${STAGE}/share/tesselab/gpu)
set(OUTPUT ${STAGE}/share/man/man1)
include(${SOURCE}/experiments/manual.cmake)
set(completions ${SOURCE}/experiments/completions)
configure_file(${completions}/tess.bash ${STAGE}/share/bash-completion/completions/tess COPYONLY)
configure_file(${completions}/tess.zsh ${STAGE}/share/zsh/site-functions/_tess COPYONLY)
configure_file(${completions}/tess.fish ${STAGE}/share/fish/vendor_completions.d/tess.fish COPYONLY)
get_filename_component(folder ${STAGE} DIRECTORY)
get_filename_component(name ${STAGE} NAME)
execute_process(COMMAND ${CMAKE_COMMAND} -E tar cJf ${name}.tar.xz ${name}
                WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "${folder}/${name}.tar.xz")
