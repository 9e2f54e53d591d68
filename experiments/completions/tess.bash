# Completes tess in bash: the program itself says which words may stand at the cursor; files where
# none of them begins as typed.
_tess() {
    # Bash splits words at '=' and ':'; the program takes them as they are typed.
    local line=${COMP_LINE:0:COMP_POINT} typed="" words kept
    local -a before
    read -ra before <<<"$line"
    if [[ $line != *[[:space:]] ]]; then
        typed=${before[-1]}
        unset 'before[-1]'
    fi
    words=$(TESS_TYPED=$typed "${before[@]}" --help-as=words 2>/dev/null | cut -f 1)
    [[ $typed == -* ]] || words=$(grep -v '^-' <<<"$words")
    local IFS=$'\n'
    COMPREPLY=($(compgen -W "$words" -- "$typed"))
    # What stands before the last '=' or ':' is a word of its own to bash, and stays.
    kept=${typed%"${typed##*[=:]}"}
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace
    fi
}
complete -o default -F _tess tess
