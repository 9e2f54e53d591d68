#compdef tess
# Completes tess in zsh: the program itself says which words may follow those before the cursor.
_tess() {
    local line
    local -a plain valued
    for line in ${(f)"$("$words[1]" "${(@)words[2,CURRENT-1]}" --help-as=words 2>/dev/null)"}; do
        local word=${line%%$'\t'*} meaning=${line#*$'\t'}
        if [[ $word == *= ]]; then
            valued+=("${word//:/\\:}:$meaning")
        else
            plain+=("${word//:/\\:}:$meaning")
        fi
    done
    _describe -o 'tess' plain
    _describe -o 'tess' valued -S ''
    _files
}
compdef _tess tess
