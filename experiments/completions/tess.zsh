#compdef tess
# Completes tess in zsh: the program itself says which words may stand at the cursor; files where
# none of them begins as typed.
_tess() {
    local line word
    local -a plain valued before
    before=("${(@)words[2,CURRENT-1]}")
    for line in ${(f)"$(TESS_TYPED=$PREFIX "$words[1]" "${before[@]}" --help-as=words 2>/dev/null)"}; do
        word=${line%%$'\t'*}
        [[ $word != -* || $PREFIX == -* ]] || continue
        if [[ $word == *= ]]; then
            valued+=("${word//:/\\:}:${line#*$'\t'}")
        else
            plain+=("${word//:/\\:}:${line#*$'\t'}")
        fi
    done
    local -i found=0
    _describe 'tess' plain && found=1
    _describe 'tess' valued -S '' && found=1
    if (( ! found )); then
        _files
    fi
}
if [[ $funcstack[1] == _tess ]]; then
    _tess # zsh loads this file at the first completion, and calls it for that one
else
    compdef _tess tess
fi
