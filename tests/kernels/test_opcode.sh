#!/bin/sh
# The opcode table (src/kernels/runtime/opcode.def) against the assembler that is here, row by row and
# architecture by architecture; the scan's findings on programs that break each of its rules; and the
# names and counts against nvdisasm. NVDISASM names one; else the PATH's, the toolkit's, or that of
# Python's nvidia-cuda-nvdisasm is taken.
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
probe=$B/tests/kernels/opcode_probe tmap=$B/tmap
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
ptxas=$(command -v ptxas || ls "${nvcc%nvcc}ptxas" 2>/dev/null)
if [ -z "$ptxas" ]; then
    echo "ok 1 # SKIP opcodes: no ptxas to assemble one-instruction programs"
    exit 0
fi
result() { n=$((n + 1)); if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; shift 2; echo "$*" | sed 's/^/# /'; fi; }

for arch in sm_90a sm_100a sm_103a sm_120a sm_121a; do
    "$probe" emit $arch >"$tmp/$arch.ptx"
    "$ptxas" -arch $arch -o "$tmp/$arch.cubin" "$tmp/$arch.ptx" >"$tmp/log" 2>&1
    result "$arch: the programs are assembled" $? "$(head -3 "$tmp/log")"
    "$probe" judge $arch "$tmp/$arch.cubin" >"$tmp/judged"
    result "$arch: the programs are read" $?
    while read -r line; do n=$((n + 1)); echo "$line" | sed -E "s/ok -/ok $n -/"; done <"$tmp/judged"
done

# broken RULE FILE: the scan says so, and names the rule
broken() {
    out=$("$tmap" kernels scan "$2" 2>&1 >/dev/null); rc=$?
    if [ $rc = 1 ] && echo "$out" | grep -q "$1"; then result "found: $1" 0; else result "found: $1" 1 "exit $rc: $out"; fi
}
assemble() { "$ptxas" -arch "$1" -o "$tmp/$2.cubin" "$tmp/$2.ptx" >"$tmp/log" 2>&1 || result "$2 is assembled" 1 "$(head -3 "$tmp/log")"; }
kernel() { printf '.version 8.8\n.target %s\n.address_size 64\n%s\n.visible .entry %s(.param .u64 pg) {\n.reg .b64 g, v;\n.reg .b32 x, r;\n.shared .align 1024 .b8 s[2048];\nld.param.u64 g, [pg]; mov.u32 x, s;\n%s\nret;\n}\n' "$1" "$2" "$3" "$4"; }

broken 'LDL 1' "$tmp/sm_90a.cubin"
broken 'stack bytes 256' "$tmp/sm_90a.cubin"
kernel sm_90a '.extern .func (.param .b32 o) vprintf(.param .b64 a, .param .b64 b);' k \
    '{ .param .b64 a, b; .param .b32 o; st.param.b64 [a], g; st.param.b64 [b], g; call.uni (o), vprintf, (a, b); }' >"$tmp/call.ptx"
assemble sm_90a call
broken 'calls outside 1' "$tmp/call.cubin"
load='cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [x], [g, {r}], [x];'
kernel sm_120a '' k "mov.u32 r, 0; $load" >"$tmp/syscall.ptx"
assemble sm_120a syscall
broken 'calls outside 1' "$tmp/syscall.cubin"
kernel sm_120a '' k "mov.u32 r, 0; $(echo "$load" | sed 's/cluster/cta/')" >"$tmp/inline.ptx"
assemble sm_120a inline
"$tmap" kernels scan "$tmp/inline.cubin" >"$tmp/log" 2>&1
result "its counterpart with .shared::cta calls nothing" $? "$(cat "$tmp/log")"
# a trap makes the store a report; without one it moves data
kernel sm_90a '' copy_store 'st.global.u32 [g], 1; trap;' >"$tmp/report.ptx"
kernel sm_90a '' copy_store 'st.global.u32 [g], 1;' >"$tmp/store.ptx"
assemble sm_90a report
assemble sm_90a store
broken 'copy_store: stores 1' "$tmp/store.cubin"
out=$("$tmap" kernels scan "$tmp/report.cubin" 2>&1 | grep 'copy_store: stores')
[ -z "$out" ]; result "its counterpart that traps after the store reports" $? "$out"

# a panel written by threads and stored by the copy engine, with the proxy fence and without
panel() { echo "mov.u32 r, %tid.x; st.shared.u32 [x + 16], r; $1 bar.sync 0; cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [g, {r}], [x];"; }
kernel sm_90a '' copy_transpose_x "$(panel '')" >"$tmp/unfenced.ptx"
kernel sm_90a '' copy_transpose_x "$(panel 'fence.proxy.async.shared::cta;')" >"$tmp/fenced.ptx"
assemble sm_90a unfenced
assemble sm_90a fenced
broken 'copy_transpose_x: unfenced 1' "$tmp/unfenced.cubin"
out=$("$tmap" kernels scan "$tmp/fenced.cubin" 2>&1 | grep unfenced)
[ -z "$out" ]; result "its counterpart with the fence is fenced" $? "$out"
# docs/OPCODES.md says that the fence after mbarrier.init becomes no instruction but a NOP
for arch in sm_90a sm_100a sm_120a; do
    for f in '' 'fence.mbarrier_init.release.cluster;'; do
        kernel $arch '' k "mbarrier.init.shared::cta.b64 [x], 1; $f bar.sync 0; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [x + 128], [g], 16, [x];" >"$tmp/init${f:+f}.ptx"
        assemble $arch "init${f:+f}"
        "$probe" names "$tmp/init${f:+f}.cubin" >"$tmp/init${f:+f}.names"
    done
    [ -s "$tmp/init.names" ] && diff "$tmp/init.names" "$tmp/initf.names" >"$tmp/diff"
    result "$arch: fence.mbarrier_init is no instruction" $? "$(cat "$tmp/diff")"
done

nvdisasm=${NVDISASM:-$(command -v nvdisasm || ls "${nvcc%nvcc}nvdisasm" 2>/dev/null ||
    python3 -c 'import glob, nvidia
print(next(f for p in nvidia.__path__ for f in glob.glob(p + "/*/bin/nvdisasm")))' 2>/dev/null)}
if [ -z "$nvdisasm" ]; then
    echo "ok $((n + 1)) # SKIP opcodes beside nvdisasm: no nvdisasm (pip: nvidia-cuda-nvdisasm)"
    echo "1..$((n + 1))"
    exit 0
fi
# listing CUBIN: "kernel name count" as the disassembler has it
listing() {
    "$nvdisasm" -c "$1" 2>/dev/null | sed -n 's/UCGABAR_[A-Z]*/UCGABAR/
        s/^\.text\.\([^:]*\):.*/K \1/p
        s/^ *\/\*[0-9a-f]*\*\/ *\(@!*U*P[0-9T]* *\)*\([A-Z0-9_]*\).*/I \2/p' |
        awk '$1 == "K" { k = $2 } $1 == "I" { c[k " " $2]++ } END { for (i in c) print i, c[i] }'
}
# named opcodes only; the two UCGABAR_ are one number
compare() {
    "$probe" names "$2" | sort >"$tmp/ours"
    cut -d' ' -f2 "$tmp/known" | sort -u >"$tmp/names"
    listing "$2" | awk 'NR == FNR { known[$1] = 1; next } known[$2]' "$tmp/names" - | sort >"$tmp/theirs"
    diff "$tmp/ours" "$tmp/theirs" >"$tmp/diff"
    result "$1: names and counts are nvdisasm's ($(wc -l <"$tmp/ours") of them)" $? "$(head -20 "$tmp/diff")"
}
for arch in sm_90a sm_100a sm_103a sm_120a sm_121a; do "$probe" names "$tmp/$arch.cubin"; done >"$tmp/known"
for arch in sm_90a sm_100a sm_103a sm_120a sm_121a; do compare "$arch, one instruction each" "$tmp/$arch.cubin"; done
[ -n "$TMAP_ALL" ] && gemm='*' || gemm=s8
for f in "$B"/src/kernels/copy/*.fatbin "$B"/src/kernels/gemm/sm90/$gemm.fatbin; do
    [ -e "$f" ] || continue
    "$probe" cubin "$f" >"$tmp/image.cubin"
    compare "${f#"$B"/src/kernels/}" "$tmp/image.cubin"
done
echo "1..$n"
