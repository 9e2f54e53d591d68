# Writes the manual pages of a built tess: cmake -D TESS=PROGRAM -D OUTPUT=FOLDER -P manual.cmake
function(page)
  set(words tess ${ARGN})
  string(REPLACE ";" "-" name "${words}")
  execute_process(COMMAND ${TESS} ${ARGN} --help-as=man OUTPUT_FILE ${OUTPUT}/${name}.1
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The commands behind the words given, each with its page; those that are groups, with theirs.
function(pages)
  page(${ARGN})
  execute_process(COMMAND ${TESS} ${ARGN} --help-as=words OUTPUT_VARIABLE words
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT words MATCHES "--help\tGive the list of commands")
    return()
  endif()
  string(REGEX MATCHALL "(^|\n)[a-z][a-z0-9]*\t" names "${words}")
  foreach(name ${names})
    string(STRIP "${name}" name)
    pages(${ARGN} ${name})
  endforeach()
endfunction()

file(MAKE_DIRECTORY ${OUTPUT})
pages()
