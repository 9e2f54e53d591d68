# Writes the manual pages of a built tess and of the programs that it starts:
# cmake -D TESS=PROGRAM -D OUTPUT=FOLDER -P manual.cmake
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

# A program that tess starts, and that nobody types.
function(helper name summary)
  string(TOUPPER ${name} title)
  file(WRITE ${OUTPUT}/${name}.1 ".TH ${title} 1 \"\" \"${version}\" Tesselab
.SH NAME
${name} \\- ${summary}
.SH DESCRIPTION
.BR tess (1)
starts this program, which takes no options, and talks to it through pipes.
")
endfunction()

execute_process(COMMAND ${TESS} --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "^tess [0-9.]+" version "${version}")
helper(tess-worker "runs a partitioner of others for tess, whom its crash does not touch")
helper(tess-ptscotch "one of the processes that cut a graph by PT-SCOTCH for tess")
