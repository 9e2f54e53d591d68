# Completes tess in fish: the program itself says which words may stand at the cursor; files where
# none of them begins as typed.
function __tess_words
    set -l before (commandline --tokenize --cut-at-cursor --current-process)
    set -lx TESS_TYPED (commandline --current-token --cut-at-cursor)
    set -l words ($before --help-as=words 2>/dev/null)
    if not string match --quiet -- '-*' $TESS_TYPED
        set words (string match --invert -- '-*' $words)
    end
    set words (string match -- "$TESS_TYPED*" $words)
    if test (count $words) -gt 0
        printf '%s\n' $words
    else
        __fish_complete_path "$TESS_TYPED"
    end
end
complete --command tess --no-files --arguments '(__tess_words)'
