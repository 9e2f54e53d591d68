# apply.jl new.txt cells < data > moved: data of the old elements, a number a line, in the new order.
lines = eachline(ARGS[1])
data = parse.(Float64, readlines(stdin))
for head in lines
    name, n = split(head)
    old = [parse(Int, line) for line in Iterators.take(lines, parse(Int, n))]
    if name == ARGS[2] * ".new_to_old"
        foreach(println, data[old .+ 1]) # files count from 0
    end
end
