#!/bin/sh
# What a request, a protocol or a use must not say: each record is refused with words that name the
# place. One file a command, a record a line; a line here is COMMAND | WORDS | RECORD.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
sed -n 's/^#: //p' "$0" >"$tmp/all"
for command in pipeline prune solve check condition; do
    grep "^$command |" "$tmp/all" >"$tmp/rows"
    sed 's/^[^|]*| [^|]*| //' "$tmp/rows" >"$tmp/in.jsonl"
    "$B/tmap" "$command" -f jsonl "$tmp/in.jsonl" >"$tmp/out" 2>"$tmp/err"
    code=$? i=0
    while IFS= read -r row; do
        i=$((i + 1)) n=$((n + 1))
        words=$(echo "$row" | sed 's/^[^|]*| \([^|]*\) | .*/\1/')
        said=$(sed -n "${i}p" "$tmp/out")
        if echo "$said" | grep -qF -- "$words"; then echo "ok $n - $command: $words"
        else
            echo "not ok $n - $command: '$words' is not said of record $i"
            echo "# $said" | cut -c1-300
        fi
    done <"$tmp/rows"
    n=$((n + 1))
    if [ $code = 2 ] && [ "$(wc -l <"$tmp/out")" = $i ]; then echo "ok $n - $command: $i records, exit code 2"
    else echo "not ok $n - $command: exit code $code, $(wc -l <"$tmp/out") lines for $i records"; fi
done
echo "1..$n"
exit 0

#: pipeline | expected an object | {"protocol":5}
#: pipeline | expected an array of agents | {"protocol":{"agents":[]}}
#: pipeline | expected an array of agents | {"protocol":{"agents":{}}}
#: pipeline | at least 1 | {"protocol":{"ctas":0,"agents":[1]}}
#: pipeline | ctas: at most | {"protocol":{"ctas":99,"agents":[1]}}
#: pipeline | expected an object of names | {"protocol":{"rings":5,"agents":[1]}}
#: pipeline | at most 4 | {"protocol":{"rings":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1},"agents":[1]}}
#: pipeline | names: up to | {"protocol":{"rings":{"a,b":1},"agents":[1]}}
#: pipeline | no slots | {"protocol":{"rings":{"a":0},"agents":[1]}}
#: pipeline | a: at most | {"protocol":{"rings":{"a":1000},"agents":[1]}}
#: pipeline | f: expected an object | {"protocol":{"barriers":{"f":1},"agents":[1]}}
#: pipeline | names nothing | {"protocol":{"barriers":{"f":{"ring":"none"}},"agents":[1]}}
#: pipeline | no arrivals | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a","arrivals":0}},"agents":[1]}}
#: pipeline | arrivals: at most | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a","arrivals":256}},"agents":[1]}}
#: pipeline | names nothing | {"protocol":{"rings":{"a":1},"buffers":{"t":"b"},"agents":[1]}}
#: pipeline | "error":"expected an object" | {"protocol":{"agents":[1]}}
#: pipeline | agents[0] | {"protocol":{"agents":[{"nane":"p"}]}}
#: pipeline | letters, digits | {"protocol":{"agents":[{"block":[]}]}}
#: pipeline | cta: at most | {"protocol":{"agents":[{"name":"p","cta":7}]}}
#: pipeline | agents in all | {"protocol":{"agents":[{"name":"p","count":16},{"name":"q"}]}}
#: pipeline | expected an array of steps | {"protocol":{"agents":[{"name":"p","block":"wait"}]}}
#: pipeline | expected an object with one step | {"protocol":{"agents":[{"name":"p","block":[{"jump":1}]}]}}
#: pipeline | expected an object with one step | {"protocol":{"agents":[{"name":"p","block":[7]}]}}
#: pipeline | has no barrier | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"agents":[{"name":"p","block":[{"advance":"a","barrier":"f"}]}]}}
#: pipeline | barrier is missing | {"protocol":{"rings":{"a":1},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"load":"t","bytes":4}]}]}}
#: pipeline | bytes are missing | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"agents":[{"name":"p","block":[{"expect":"f"}]}]}}
#: pipeline | has no bytes | {"protocol":{"rings":{"a":1},"agents":[{"name":"p","block":[{"advance":"a","bytes":4}]}]}}
#: pipeline | signal: at most | {"protocol":{"rings":{"a":1},"agents":[{"name":"p","block":[{"advance":"a","signal":4}]}]}}
#: pipeline | there is no CTA 3 | {"protocol":{"rings":{"a":1},"agents":[{"name":"p","block":[{"advance":"a","ctas":[3]}]}]}}
#: pipeline | ctas: none | {"protocol":{"rings":{"a":1},"agents":[{"name":"p","block":[{"advance":"a","ctas":[]}]}]}}
#: pipeline | names no agent | {"protocol":{"syncs":{"s":["q"]},"agents":[{"name":"p"}]}}
#: pipeline | s: expected an array of names | {"protocol":{"syncs":{"s":"p"},"agents":[{"name":"p"}]}}
#: pipeline | kind, m and n are needed | {"stages":1,"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"mma":{"kind":"f16"}}
#: pipeline | $.mma | {"stages":1,"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"mma":5}
#: pipeline | tiles: true or false | {"protocol":{"tiles":"yes","agents":[{"name":"p"}]}}
#: pipeline | started: true or false | {"protocol":{"started":0,"agents":[{"name":"p"}]}}
#: prune | unknown key | {"dtpye":"bf16"}
#: prune | only gemm is known | {"op":"conv","dtype":"bf16","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | expected a string, not an integer | {"op":5,"dtype":"bf16","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | ring, triton or tcgen05 | {"model":"rings","dtype":"bf16","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | expected a string, not null | {"model":null,"dtype":"bf16","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | dtype is missing | {"configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | there is no dtype | {"dtype":"bf17","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | there is no out_dtype | {"dtype":"bf16","out_dtype":"x","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | "path":"$.M" | {"dtype":"bf16","M":-1,"configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | "path":"$.N" | {"dtype":"bf16","N":"all","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | "path":"$.K" | {"dtype":"bf16","K":null,"configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | "path":"$.accumulators" | {"dtype":"bf16","accumulators":4294967296,"configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | either configs or space | {"dtype":"bf16"}
#: prune | either configs or space | {"dtype":"bf16","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8}],"space":{}}
#: prune | an array of configurations | {"dtype":"bf16","configs":[]}
#: prune | an array of configurations | {"dtype":"bf16","configs":{}}
#: prune | "path":"$.configs[1]" | {"dtype":"bf16","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8},7]}
#: prune | $.configs[0].num_cats | {"dtype":"bf16","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8,"num_cats":1}]}
#: prune | num_warps is missing | {"dtype":"bf16","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4}]}
#: prune | $.configs[0].BLOCK_N | {"dtype":"bf16","configs":[{"BLOCK_M":128,"BLOCK_N":-128,"BLOCK_K":64,"num_stages":4,"num_warps":8}]}
#: prune | $.configs[0].num_ctas | {"dtype":"bf16","configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8,"num_ctas":"x"}]}
#: prune | expected an object | {"dtype":"bf16","space":[1]}
#: prune | $.space.num_ctas | {"dtype":"bf16","space":{"BLOCK_M":[128],"BLOCK_N":[128],"BLOCK_K":[64],"num_stages":[4],"num_warps":[8],"num_ctas":[1]}}
#: prune | BLOCK_K: expected an array of numbers | {"dtype":"bf16","space":{"BLOCK_M":[128],"BLOCK_N":[128],"BLOCK_K":64}}
#: prune | $.space.num_warps[1] | {"dtype":"bf16","space":{"BLOCK_M":[128],"BLOCK_N":[128],"BLOCK_K":[64],"num_stages":[4],"num_warps":[8,-1]}}
#: solve | load or store | {"tensor":{"dtype":"bf16","dim":[64,64],"stride":[128]},"tile":[64,64],"op":"reduce"}
#: solve | ldmatrix, wgmma_k_major | {"tensor":{"dtype":"bf16","dim":[64,64],"stride":[128]},"tile":[64,64],"consumer":"mma"}
#: solve | ldmatrix, wgmma_k_major | {"tensor":{"dtype":"bf16","dim":[64,64],"stride":[128]},"tile":[64,64],"consumer":"wgmma","major":"x"}
#: solve | ldmatrix, wgmma_k_major | {"tensor":{"dtype":"bf16","dim":[64,64],"stride":[128]},"tile":[64,64],"consumer":"wgmma","major":1}
#: solve | ldmatrix, wgmma_k_major | {"tensor":{"dtype":"bf16","dim":[64,64],"stride":[128]},"tile":[64,64],"major":"k"}
#: solve | expected an array of numbers | {"tensor":{"dtype":"bf16","dim":[64,64],"stride":[128]},"tile":64}
#: solve | expected a JSON object | 7
#: check | expected an object, not an integer | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[5]}
#: check | $.uses[0].offset | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","offset":["x"]}]}
#: check | value\" is missing | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"replace","field":"rank"}]}
#: check | $.uses[0].field | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"replace","field":"colour","value":1}]}
#: check | expected an object, not an integer | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"allocation":5}
#: check | base | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"allocation":{"bytes":5}}
#: check | stride\" is missing | {"dtype":"bf16","address":0,"dim":["0xffffffffffffffff",64,64],"box":[64,64,1]}
#: check | stride\" is missing | {"dtype":"bf16","address":0,"dim":["0x0fffffffffffffff",64,64],"box":[64,64,1]}
#: condition | expected an array, not a string | {"dtype":"bf16","address":0,"dim":["K",64],"stride":[128],"box":[64,64],"assume":"K > 1"}
#: condition | expected a string, not an integer | {"dtype":"bf16","address":0,"dim":["K",64],"stride":[128],"box":[64,64],"assume":[5]}
