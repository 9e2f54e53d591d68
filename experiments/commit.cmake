# Writes OUTPUT, a header with the commit of SOURCE and the diff against it, when they have changed.
execute_process(COMMAND git -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
set(diff "")
if(failed)
  set(commit "unknown")
else()
  execute_process(COMMAND git -C ${SOURCE} diff HEAD --no-color --no-ext-diff
                  OUTPUT_FILE ${OUTPUT}.diff ERROR_QUIET)
  file(READ ${OUTPUT}.diff diff LIMIT 262144 HEX) # bytes; a larger diff is cut
  string(LENGTH "${diff}" size)
  if(size EQUAL 524288) # not within a character of UTF-8, the longest of which has four bytes
    string(SUBSTRING "${diff}" 524280 8 end)
    string(SUBSTRING "${diff}" 0 524280 diff)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" " \\1" end "${end}")
    string(REGEX REPLACE "( [c-f].( [89ab].)*|( [89ab].)+)$" "" end "${end}")
    string(REPLACE " " "" end "${end}")
    string(APPEND diff "${end}")
  endif()
endif()
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${diff}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[/* Made by commit.cmake at every build. */
#define TESS_COMMIT "@commit@"
static const unsigned char tess_commit_diff[] = {@bytes@0};
]] @ONLY)
