#!/bin/sh
# Input that is not a descriptor, and output that cannot be written: each with its exit code and one
# clear message, and no more. Runs the command that B names; `make MODE=asan test` runs it under
# the address and undefined-behaviour sanitizers.
cd "$(dirname "$0")/../.." || exit 2
tmap=${B:-build}/tmap n=0 tmp=$(mktemp -d)
trap 'chmod -R u+rwX "$tmp"; rm -rf "$tmp"' EXIT
[ -x "$tmap" ] || { echo "not ok 1 - there is no $tmap"; exit 1; }
good='{"name":"A","dtype":"BFLOAT16","address":"0x7f0000000000","dim":[4096,4096],"stride":[8192],"box":[64,128],"swizzle":"128B"}'

# verdict NAME CODE WANTED: after a run, the exit code and what out or err must hold (a grep -E)
verdict() {
    n=$((n + 1)) why=
    [ "$code" = "$2" ] || why="exit code $code, not $2;"
    cat "$tmp/out" "$tmp/err" | grep -qE -- "$3" || why="$why says nothing of '$3';"
    if grep -qE 'Sanitizer|runtime error' "$tmp/err"; then why="$why a sanitizer complains;"; fi
    [ "$(wc -l <"$tmp/err")" -le "${4:-1}" ] || why="$why $(wc -l <"$tmp/err") lines of messages;"
    if [ -z "$why" ]; then echo "ok $n - $1"; return; fi
    echo "not ok $n - $1: $why"
    head -c 600 "$tmp/err" | sed 's/^/# err: /'
    head -c 600 "$tmp/out" | sed 's/^/# out: /'
}
check() { # check ARGUMENT...: runs the command on them
    timeout 60 "$tmap" check "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    code=$?
}
bad() { # bad NAME CODE WANTED CONTENT: one file with that content
    printf '%s' "$4" >"$tmp/in.json"
    check --format jsonl "$tmp/in.json"
    verdict "$1" "$2" "$3"
}

bad "the good descriptor these are made from" 0 '"legal"' "$good"

# --- no JSON
bad "empty file" 2 'in.json' ''
bad "only blanks" 2 'in.json' '

 '
bad "truncated object" 2 'in.json' '{"name":"A","dtype":"BFLOAT16","dim":[4096,'
bad "truncated string" 2 'in.json' '{"name":"A'
bad "not JSON at all" 2 'in.json' 'hello'
bad "a number" 2 'in.json' '42'
bad "null" 2 'in.json' 'null'
bad "trailing comma" 2 'in.json' "[$good,]"
bad "text after the array" 2 'in.json' "[$good] x"
bad "no UTF-8" 2 'in.json' "$(printf '{"name":"\377"}')"
bad "the same key twice" 2 'dim' "$(echo "$good" | sed 's/"dim"/"dim":[1,1],"dim"/')"
printf '{"name":"A\0B"}' >"$tmp/nul.json"
check "$tmp/nul.json"; verdict "a NUL byte in a string" 2 'nul.json'
printf '\0\0\0\0' >"$tmp/nul.json"
check "$tmp/nul.json"; verdict "NUL bytes only" 2 'nul.json'
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "["; print "" }' >"$tmp/deep.json"
check "$tmp/deep.json"; verdict "100000 open brackets" 2 'deep.json'

# --- JSON, but no descriptor: the message names the path within the record
with() { echo "$good" | sed "s/$1/$2/"; } # with PATTERN REPLACEMENT
bad "unknown key" 2 'boxes' "$(with '"box"' '"boxes"')"
bad "missing dim" 2 'dim' "$(with '"dim":\[4096,4096\],' '')"
bad "missing dtype" 2 'dtype' "$(with '"dtype":"BFLOAT16",' '')"
bad "dim a string of words" 2 'dim' "$(with '\[4096,4096\]' '"wide"')"
bad "dim an object" 2 'dim' "$(with '\[4096,4096\]' '{}')"
bad "dim a real number" 2 'dim' "$(with '4096,4096' '4096.5,4096')"
bad "dim true" 2 'dim' "$(with '4096,4096' 'true,4096')"
bad "box of one entry for rank 2" 2 'box' "$(with '\[64,128\]' '[64]')"
bad "stride of two entries for rank 2" 2 'stride' "$(with '\[8192\]' '[8192,8192]')"
bad "a type that is none" 2 'dtype' "$(with BFLOAT16 FLOAT17)"
bad "a swizzle that is none" 2 'swizzle' "$(with '"128B"' '"129B"')"
bad "a kind that is none" 2 'kind' "$(with '"name":"A"' '"kind":"tile"')"
bad "name a number" 2 'name' "$(with '"name":"A"' '"name":7')"
bad "uses no array" 2 'uses' "$(with '"name":"A"' '"uses":{"op":"load"}')"
bad "a use without op" 2 'op' "$(with '"name":"A"' '"uses":[{"coord":[0,0]}]')"
bad "a use with an op that is none" 2 'op' "$(with '"name":"A"' '"uses":[{"op":"lode","coord":[0,0]}]')"
bad "expect neither legal nor illegal" 2 'expect' "$(with '"name":"A"' '"expect":"perhaps"')"

# --- numbers: what a descriptor can hold is a verdict, the rest an error
bad "negative dim" 2 'dim' "$(with '4096,4096' '-1,4096')"
bad "dim beyond 64 bits" 2 'dim' "$(with '4096,4096' '18446744073709551616,4096')"
bad "dim of forty digits in a string" 2 'dim' "$(with '4096,4096' '"1234567890123456789012345678901234567890",4096')"
bad "largest dim of 64 bits" 1 '"illegal"' "$(with '4096,4096' '"18446744073709551615",4096')"
bad "dim in hexadecimal" 0 '"legal"' "$(with '4096,4096' '"0x1000",4096')"
bad "address in no base" 2 'address' "$(with 0x7f0000000000 0x7g)"
bad "box beyond 32 bits" 2 'box' "$(with '\[64,128\]' '[4294967296,128]')"
bad "largest box of 32 bits" 1 '"illegal"' "$(with '\[64,128\]' '[4294967295,128]')"
bad "negative raw type" 1 '"illegal"' "$(with '"BFLOAT16"' '-1')"
bad "largest rank" 1 '"illegal"' '{"dtype":"UINT8","rank":4294967295,"address":0,"dim":[16,16,16,16,16],"stride":[16,16,16,16],"box":[16,1,1,1,1]}'
bad "rank 0" 1 '"illegal"' '{"dtype":"UINT8","rank":0,"address":0,"dim":[],"stride":[],"box":[]}'

# --- an unreadable record answers in its place, and reading goes on
printf '%s\n' "$good" '{"dtype":7' "$good" >"$tmp/in.json"
check --format jsonl "$tmp/in.json"
verdict "a bad line among good ones" 2 '"record": ?2'
n=$((n + 1))
if [ "$(grep -c '"legal"' "$tmp/out")" = 2 ]; then echo "ok $n - the records around it are answered"
else echo "not ok $n - the records around it are answered"; fi

# --- size
awk 'BEGIN { for (i = 0; i < 10485760 / 16; i++) printf "0123456789abcdef"; print "" }' >"$tmp/long.json"
check "$tmp/long.json"; verdict "one line of 10 MiB that is no JSON" 2 'long.json'
{ printf '{"name":"'; tr -d '\n' <"$tmp/long.json"; echo "${good#\{\"name\":\"A}"; } >"$tmp/name.json"
check --format jsonl "$tmp/name.json"; verdict "a descriptor with a name of 10 MiB" 2 'name.json'
awk -v d="$good" 'BEGIN { for (i = 0; i < 100000; i++) print d }' >"$tmp/many.json"
check --format jsonl "$tmp/many.json"; verdict "100000 records" 0 '"legal"'
n=$((n + 1))
if [ "$(wc -l <"$tmp/out")" = 100000 ]; then echo "ok $n - 100000 records get 100000 answers"
else echo "not ok $n - 100000 records got $(wc -l <"$tmp/out") answers"; fi

# --- files
check "$tmp/none.json"; verdict "a file that is not there" 2 'none.json'
check "$tmp"; verdict "a directory" 2 "$tmp"
printf '%s' "$good" >"$tmp/secret.json"; chmod 000 "$tmp/secret.json"; chmod 755 "$tmp"
nobody=
if [ "$(id -u)" = 0 ]; then # what a build for coverage counts, nobody may not write beside the objects
    mkdir -m 777 "$tmp/counts"
    nobody="env GCOV_PREFIX=$tmp/counts LLVM_PROFILE_FILE=$tmp/counts/raw"
    nobody="$nobody setpriv --reuid=65534 --regid=65534 --clear-groups"
fi
if $nobody "$tmap" --version >/dev/null 2>&1; then # root reads every file, nobody does not
    $nobody "$tmap" check "$tmp/secret.json" >"$tmp/out" 2>"$tmp/err" </dev/null; code=$?
    verdict "a file without permission" 2 'secret.json.*ermission'
else
    n=$((n + 1)); echo "ok $n # SKIP unreadable file: root reads every file, and nobody cannot run $tmap"
fi
check /proc/self/mem; verdict "a file whose first byte cannot be read" 2 '/proc/self/mem'
printf '%s\n' "$good" >"$tmp/in.json"
check --format jsonl "$tmp/none.json" "$tmp/in.json"; verdict "the file after one that is not there" 2 '"legal"'

# --- output
"$tmap" check --format jsonl "$tmp/in.json" >/dev/full 2>"$tmp/err"; code=$?; : >"$tmp/out"
verdict "a full disk" 2 'o space left|cannot write'
{ "$tmap" check --format jsonl "$tmp/many.json" 2>"$tmp/err"; echo $? >"$tmp/code"; } | head -1 >"$tmp/out"
code=$(cat "$tmp/code"); verdict "a reader that goes away" 2 '"legal"' 0
"$tmap" check --format jsonl "$tmp/in.json" >&- 2>"$tmp/err"; code=$?; : >"$tmp/out"
verdict "no standard output" 2 'cannot write|Bad file'

# --- the command line
"$tmap" >"$tmp/out" 2>"$tmp/err"; code=$?; verdict "no command" 3 'check' 60
"$tmap" chek >"$tmp/out" 2>"$tmp/err"; code=$?; verdict "a command that is none" 3 'chek'
check --no-such; verdict "an option that is none" 3 'no-such' 2
check --arch sm_91 "$tmp/in.json"; verdict "an architecture that is none" 3 'sm_91' 2
check --cuda twelve "$tmp/in.json"; verdict "a toolkit that is none" 3 'twelve' 2
check --contract strict "$tmp/in.json"; verdict "a contract that is none" 3 'strict' 2
check --format xml "$tmp/in.json"; verdict "a format that is none" 3 'xml' 2
check --cuda 99.0 --format jsonl "$tmp/in.json"; verdict "a toolkit nobody has read" 4 '"unknown"'

# --- an image that is none, and one without an end
if [ -r /dev/zero ]; then
    timeout 30 "$tmap" kernels scan /dev/zero >"$tmp/out" 2>"$tmp/err"; code=$?
    verdict "an image without an end" 2 'larger than 256 MiB'
fi

# --- the command alone, without the library that has its kernels: no empty list
cp "$tmap" "$tmp/tmap"
for what in list table; do
    LD_LIBRARY_PATH= "$tmp/tmap" kernels $what >"$tmp/out" 2>"$tmp/err"; code=$?
    verdict "kernels $what without libtmap-cuda" 2 'libtmap-cuda.so.0 is not beside'
done
