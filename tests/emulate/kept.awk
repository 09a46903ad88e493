# One kernel of a PTX file of nvcc's, without comments and blank lines: -v kernel=NAME. First its
# compiler; then the target, what of the file's variables it names, and itself.
/^\/\/ Cuda compilation tools/ { print }
{ sub(/[ \t]*\/\/.*/, ""); sub(/^[ \t]+/, "") }
$0 == "" { next }
/^\.(version|target|address_size)/ { print; next }
/^\.visible \.entry/ { inside = 1; wanted = index($0, " " kernel "(") }
!inside { variables[++count] = $0; next }
wanted { text = text $0 "\n" }
/^}/ {
    inside = 0
    if (!wanted) next
    for (i = 1; i <= count; i++) {
        name = variables[i]
        sub(/\[.*/, "", name); sub(/.* /, "", name)
        if (index(text, name)) print variables[i]
    }
    printf "%s", text
    exit
}
