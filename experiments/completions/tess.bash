# Completes tess in bash: the program itself says which words may follow those before the cursor.
_tess() {
    local before=$((COMP_CWORD - 1)) current=${COMP_WORDS[COMP_CWORD]} option="" words
    # Bash takes --points=inc for three words.
    if [[ $current == "=" ]]; then
        option=${COMP_WORDS[before]}= current=""
    elif [[ $before -gt 1 && ${COMP_WORDS[before]} == "=" ]]; then
        option=${COMP_WORDS[before - 1]}=
    fi
    words=$("${COMP_WORDS[0]}" "${COMP_WORDS[@]:1:before}" --help-as=words 2>/dev/null | cut -f 1)
    [[ $option$current == -* ]] || words=$(grep -v '^-' <<<"$words")
    # A list goes on behind its last comma.
    if [[ $current == *,* ]]; then
        local typed=${current%,*},
        words=$(sed "s|^$option|$option$typed|" <<<"$words")
    fi
    local IFS=$'\n'
    COMPREPLY=($(compgen -W "$words" -- "$option$current"))
    COMPREPLY=("${COMPREPLY[@]#"$option"}")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace
    fi
}
complete -o default -F _tess tess
