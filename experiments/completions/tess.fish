# Completes tess in fish: the program itself says which words may follow those before the cursor.
function __tess_words
    set -l before (commandline --tokenize --cut-at-cursor --current-process)
    $before --help-as=words 2>/dev/null
end
complete --command tess --arguments '(__tess_words)'
