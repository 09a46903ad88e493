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
#: pipeline | expected an object | {"protocol":{"barriers":{"f":1},"agents":[1]}}
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
#: pipeline | expected an array of descriptors | {"stages":2}
#: pipeline | expected an array of descriptors | {"loads":{}}
#: pipeline | unknown key; did you mean | {"lodas":[]}
#: pipeline | "path":"$.loads[0]" | {"loads":[7]}
#: pipeline | $.loads[1].dim[0] | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]},{"dtype":"bf16","address":0,"dim":[-1,64],"stride":[128],"box":[64,64]}]}
#: pipeline | one or two numbers of CTAs | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"cluster":[]}
#: pipeline | one or two numbers of CTAs | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"cluster":[1,1,1]}
#: pipeline | one or two numbers of CTAs | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"cluster":2}
#: pipeline | $.cluster[1] | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"cluster":[1,"x"]}
#: pipeline | CTAs together can be explored | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"cluster":[0]}
#: pipeline | CTAs together can be explored | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"cluster":[99]}
#: pipeline | CTAs together can be explored | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"cluster":[2,99]}
#: pipeline | CTAs together can be explored | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"cluster":[2,0]}
#: pipeline | share no load | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"cluster":[2]}
#: pipeline | direction 1 share no load | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"cluster":[1,2],"shared":[[0]]}
#: pipeline | a list of loads for each direction of the cluster | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"shared":[]}
#: pipeline | a list of loads for each direction of the cluster | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"shared":[[],[],[]]}
#: pipeline | a list of loads for each direction | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"shared":[0]}
#: pipeline | 1 is no load, or named twice | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"shared":[[1]]}
#: pipeline | 0 is no load, or named twice | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"shared":[[0,0]]}
#: pipeline | 0 is no load, or named twice | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"shared":[[0],[0]]}
#: pipeline | expected an integer | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"shared":[[null]]}
#: pipeline | $.store | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"store":7}
#: pipeline | $.stages | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"stages":4294967296}
#: pipeline | $.store_stages | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"store_stages":-1}
#: pipeline | $.consumers | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"consumers":true}
#: pipeline | $.cta_group | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"cta_group":1.5}
#: pipeline | $.tmem_columns | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"tmem_columns":[]}
#: pipeline | $.reserve_bytes | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"reserve_bytes":"x"}
#: pipeline | $.expect_tx | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"expect_tx":-5}
#: pipeline | unknown key | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"mma":{"kindd":1}}
#: pipeline | kind, m and n are needed | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"mma":{"m":64,"n":64}}
#: pipeline | kind, m and n are needed | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"mma":{"kind":"f16","n":64}}
#: pipeline | $.mma.kind | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"mma":{"kind":"f15","m":64,"n":64}}
#: pipeline | $.mma.a | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"mma":{"kind":"f16","m":64,"n":64,"a":"e4m3"}}
#: pipeline | $.mma.b | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"mma":{"kind":"f16","m":64,"n":64,"b":[]}}
#: pipeline | $.mma.d | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"mma":{"kind":99,"m":64,"n":64,"d":"x"}}
#: pipeline | $.mma.scale_type | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"mma":{"kind":"f16","m":64,"n":64,"scale_type":"x"}}
#: pipeline | $.mma.alloc_group | {"loads":[{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}],"mma":{"kind":"f16","m":64,"n":64,"alloc_group":null}}
#: pipeline | unknown key | {"protocol":{"agent":[]}}
#: pipeline | unknown key | {"protocol":{"barriers":{"f":{"rings":"a"}},"agents":[1]}}
#: pipeline | names nothing | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":7}},"agents":[1]}}
#: pipeline | names nothing | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"wait":"g"}]}]}}
#: pipeline | names nothing | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"wait":true}]}]}}
#: pipeline | names nothing | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"load":"t","barrier":"g","bytes":4}]}]}}
#: pipeline | .bytes | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"load":"t","barrier":"f","bytes":-4}]}]}}
#: pipeline | .wait_read | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"wait_read":"all"}]}]}}
#: pipeline | .back | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"advance":"a","back":-1}]}]}}
#: pipeline | back: at most | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"advance":"a","back":99}]}]}}
#: pipeline | when: at most | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"advance":"a","when":99}]}]}}
#: pipeline | .ctas[0] | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"wait":"f","ctas":["x"]}]}]}}
#: pipeline | ctas: none | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"wait":"f","ctas":0}]}]}}
#: pipeline | .signal | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"load":"t","barrier":"f","bytes":4,"signal":"x"}]}]}}
#: pipeline | unknown key | {"protocol":{"rings":{"a":1},"barriers":{"f":{"ring":"a"}},"buffers":{"t":"a"},"agents":[{"name":"p","block":[{"wait":"f","bites":4}]}]}}
#: pipeline | $.protocol.agents[0].count | {"protocol":{"agents":[{"name":"p","count":"two"}]}}
#: pipeline | count: at most | {"protocol":{"agents":[{"name":"p","count":99}]}}
#: pipeline | letters, digits | {"protocol":{"agents":[{"name":""}]}}
#: pipeline | letters, digits | {"protocol":{"agents":[{"name":"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"}]}}
#: pipeline | letters, digits | {"protocol":{"agents":[{"name":7}]}}
#: pipeline | names no agent, or one twice | {"protocol":{"syncs":{"s":["p","p"]},"agents":[{"name":"p"}]}}
#: pipeline | names no agent, or one twice | {"protocol":{"syncs":{"s":[7]},"agents":[{"name":"p"}]}}
#: pipeline | stays: true or false | {"protocol":{"stays":1,"agents":[{"name":"p"}]}}
#: pipeline | $.protocol.ctas | {"protocol":{"ctas":"two","agents":[{"name":"p"}]}}
#: pipeline | $.protocol.rings.a | {"protocol":{"rings":{"a":"x"},"agents":[1]}}
#: pipeline | $.protocol.syncs | {"protocol":{"syncs":[],"agents":[1]}}
#: pipeline | $.protocol.buffers | {"protocol":{"buffers":[],"agents":[1]}}
#: pipeline | $.protocol.barriers | {"protocol":{"barriers":[],"agents":[1]}}
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
#: solve | unknown key | {"tile":[64],"tensr":1}
#: solve | expected an object | {"tensor":7,"tile":[64]}
#: solve | load or store | {"tensor":{"dtype":"bf16","dim":[64,64],"stride":[128]},"tile":[64,64],"op":7}
#: solve | ldmatrix, wgmma_k_major | {"tensor":{"dtype":"bf16","dim":[64,64],"stride":[128]},"tile":[64,64],"consumer":7}
#: solve | $.multicast | {"tensor":{"dtype":"bf16","dim":[64,64],"stride":[128]},"tile":[64,64],"multicast":"all"}
#: solve | unknown key | {"tensor":{"sizes":[64,64],"dtype":"bf16","stride":[64,1]},"tile":[64,64]}
#: solve | dtype is missing | {"tensor":{"sizes":[64,64],"strides":[64,1]},"tile":[64,64]}
#: solve | there is no dtype | {"tensor":{"sizes":[64,64],"dtype":"bf17"},"tile":[64,64]}
#: solve | dtype has no size | {"tensor":{"sizes":[64,64],"dtype":99},"tile":[64,64]}
#: solve | expected an array of 1 to | {"tensor":{"dtype":"bf16","sizes":[]},"tile":[]}
#: solve | expected an array of 1 to | {"tensor":{"dtype":"bf16","sizes":7},"tile":[]}
#: solve | expected an array of 1 to | {"tensor":{"dtype":"bf16","sizes":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]},"tile":[1]}
#: solve | $.tensor.sizes[0] | {"tensor":{"dtype":"bf16","sizes":[-1]},"tile":[1]}
#: solve | more than 2^61 bytes | {"tensor":{"dtype":"bf16","sizes":["0x4000000000000000",64,64]},"tile":[1,1,1]}
#: solve | expected an array of 2 numbers | {"tensor":{"sizes":[64,64],"dtype":"bf16","strides":[64]},"tile":[64,64]}
#: solve | expected an array of 2 numbers | {"tensor":{"sizes":[64,64],"dtype":"bf16","strides":1},"tile":[64,64]}
#: solve | $.tensor.strides[0] | {"tensor":{"sizes":[64,64],"dtype":"bf16","strides":["x",1]},"tile":[64,64]}
#: solve | a stride of more than 2^61 bytes | {"tensor":{"sizes":[64,64],"dtype":"bf16","strides":["0x4000000000000000",1]},"tile":[64,64]}
#: solve | $.tensor.address | {"tensor":{"sizes":[64,64],"dtype":"bf16","address":"x"},"tile":[64,64]}
#: solve | $.tensor.offset | {"tensor":{"sizes":[64,64],"dtype":"bf16","offset":-1},"tile":[64,64]}
#: solve | element 0 lies at no byte | {"tensor":{"sizes":[64,64],"dtype":"bf16","offset":"0x4000000000000000"},"tile":[64,64]}
#: solve | element 0 lies at no byte | {"tensor":{"sizes":[64,64],"dtype":"16U4_ALIGN8B","offset":1},"tile":[64,64]}
#: solve | element 0 lies at no byte | {"tensor":{"sizes":[64,64],"dtype":"bf16","address":"0xffffffffffffffff","offset":1},"tile":[64,64]}
#: solve | expected an array of 2 numbers | {"tensor":{"dtype":"bf16","sizes":[64,64]},"tile":[64]}
#: solve | $.tile[1] | {"tensor":{"dtype":"bf16","sizes":[64,64]},"tile":[64,-1]}
#: solve | a tile of no elements | {"tensor":{"dtype":"bf16","sizes":[64,64]},"tile":[64,0]}
#: check | expected an object, not an integer | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[5]}
#: check | $.uses[0].offset | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","offset":["x"]}]}
#: check | value\" is missing | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"replace","field":"rank"}]}
#: check | $.uses[0].field | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"replace","field":"colour","value":1}]}
#: check | expected an object, not an integer | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"allocation":5}
#: check | base | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"allocation":{"bytes":5}}
#: check | stride\" is missing | {"dtype":"bf16","address":0,"dim":["0xffffffffffffffff",64,64],"box":[64,64,1]}
#: check | stride\" is missing | {"dtype":"bf16","address":0,"dim":["0x0fffffffffffffff",64,64],"box":[64,64,1]}
#: check | $.uses[0].coord | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","coord":7}]}
#: check | $.uses[0].offset | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","offset":7}]}
#: check | $.uses[0].smem | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","smem":"x"}]}
#: check | $.uses[0].expect_tx | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","expect_tx":-1}]}
#: check | $.uses[0].mbarrier | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","mbarrier":[]}]}
#: check | $.uses[0].multicast | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","multicast":-1}]}
#: check | $.uses[0].cta_group | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","cta_group":1.5}]}
#: check | $.uses[0].ordinal | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"replace","ordinal":"x","field":"rank","value":1}]}
#: check | $.uses[0].value | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"replace","field":"rank","value":-1}]}
#: check | $.uses[0].consumer | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","consumer":"mma"}]}
#: check | $.uses[0].consumer | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","consumer":"wgmma_k_major","major":"k"}]}
#: check | $.uses[0].major | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","consumer":"wgmma","major":"z"}]}
#: check | $.uses[0].dst | {"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","dst":7}]}
#: condition | expected an array, not a string | {"dtype":"bf16","address":0,"dim":["K",64],"stride":[128],"box":[64,64],"assume":"K > 1"}
#: condition | expected a string, not an integer | {"dtype":"bf16","address":0,"dim":["K",64],"stride":[128],"box":[64,64],"assume":[5]}
