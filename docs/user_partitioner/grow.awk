# The same as grow.py: reads METIS's graph, prints the block of each element.
NR == 1 { n = $1; next }
{ near[NR - 1] = $0 }
END {
    size = ENVIRON["TESS_BLOCK_SIZE"]
    for (start = 1; start <= n; start++) {
        front[last++] = start
        while (first < last) {
            element = front[first++]
            if (element in block_of)
                continue
            block_of[element] = int((n_taken++) / size)
            n_words = split(near[element], words)
            for (i = 1; i <= n_words; i += 2) # the words between are weights
                front[last++] = words[i]
        }
    }
    for (element = 1; element <= n; element++)
        print block_of[element]
}
