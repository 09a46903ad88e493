#!/bin/sh
# tmap report: one page, whole, that shows every file and finding, takes nothing from outside as markup or
# from the network, and that a browser draws, light and dark.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
case $B in /*) ;; *) B=$PWD/$B ;; esac
tmap=$B/tmap page=$tmp/page.html
ok() { # ok NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; tail -5 "$tmp/log" | sed 's/^/# /'; fi
}
has() { grep -qF -- "$1" "$page"; }
"$tmap" report -o "$page" examples/descriptors/failures/*.json examples/descriptors/workloads/*.json
ok "expectations that are met are exit code 0" test $? -eq 0
ok "every file is there" sh -c "for f in examples/descriptors/failures/*.json; do grep -qF \"\$f\" '$page' || exit 1; done"
illegal=$("$tmap" check -f jsonl examples/descriptors/failures/*.json | grep -c '"illegal"')
ok "every illegal record has its place" test "$(grep -c '<article class="illegal">' "$page")" = "$illegal"
ok "the blamed value is marked on its line" has '<mark>384</mark>'
ok "pictures are in the page" has '<svg '
ok "nothing is fetched" sh -c "! grep -E '(src|href)=|@import|url\(|<script' '$page'"

cat >"$tmp/hostile.json" <<'J'
{"name":"<script>alert(1)</script>\u202e\u001b[31m\" onload=x &amp;","dtype":"bf16","address":0,"dim":[64,64],"stride":[130],"box":[64,64],"allow":{"TMA999":"x"}}
{"name":"<b>bad</b>","dtype":"bf16","address":0,"dim":[64,64],"stride":[130],"box":[64,64],"allow":{"TMA014":"<i>why</i>"}}
{"name":"plain","dtype":"bf16","address":0,"dim":[64,64],"stride":[130],"box":[64,64]}
J
cp "$tmp/hostile.json" "$tmp/<img src=x>.json"
(cd "$tmp" && "$tmap" report "<img src=x>.json") >"$tmp/hostile.html" 2>/dev/null
ok "what comes from outside is text" sh -c "! grep -E '<(script|img|b>bad|i>why)' '$tmp/hostile.html' && grep -q '&lt;b&gt;bad' '$tmp/hostile.html'"
ok "no control or bidirectional character" sh -c "! LC_ALL=C grep -P '\x1b|\xe2\x80\xae' '$tmp/hostile.html'"
cat examples/solve/gemm-ring.json examples/solve/gemm-configs.json >"$tmp/plans.json"
"$tmap" report -o "$tmp/plans.html" "$tmp/plans.json" "$tmp/hostile.json"
ok "a ring is drawn in time: four stages, three rounds" test "$(grep -c '<rect class="use"' "$tmp/plans.html")" -eq 12
ok "what the ring hides follows from what fills it" grep -q 'fills a stage in 1.180 us, and its use takes 0.560 us; so the ring hides a copy.s latency of up to 3.539 us' "$tmp/plans.html"
possible=$("$tmap" prune -f jsonl examples/solve/gemm-configs.json | grep -c '"verdict":"legal"')
ok "each possible configuration is on the roofline" test "$(grep -c '<circle class="tiles"' "$tmp/plans.html")" -eq "$possible"
ok "and the product" test "$(grep -c '<circle class="product"' "$tmp/plans.html")" -eq 1
sed 's|"stages":4|"name":"<b>deep</b>","stages":9|' examples/solve/gemm-ring.json >"$tmp/deep.json"
"$tmap" report -o "$tmp/deep.html" "$tmp/deep.json"
ok "a ring that does not fit is exit code 1" test $? -eq 1
ok "with its rule, its name as text" sh -c "grep -q 'TMA181' '$tmp/deep.html' && grep -q '&lt;b&gt;deep' '$tmp/deep.html'"
echo '{"stages":4,"loads":[{"dtype":"bf16","dim":[64,64],"stride":[130],"box":[64,64]}]}' >"$tmp/load.json"
"$tmap" report -o "$tmp/load.html" "$tmp/load.json" 2>"$tmp/load.err"
ok "a ring of an illegal load cannot be drawn: exit code 2" test $? -eq 2
ok "and stderr says so, with its place" grep -q 'load.json:1' "$tmp/load.err"
printf '{"dtype":"bf16","dim":[64,"x"]}' >"$tmp/unread.json"
"$tmap" report -o "$tmp/unread.html" "$tmp/unread.json" 2>"$tmp/unread.err"
ok "an unreadable record is exit code 2" test $? -eq 2
ok "and stderr says so, once, with its place" sh -c "grep -c 'unread.json:1' '$tmp/unread.err' | grep -qx 1"
printf '{"name":"x","dtype":"bf16","address":0,"dim":[64,64],"stride":[130],"box":[64,64]}' >"$tmp/bad.json"
"$tmap" report -o /dev/null "$tmp/bad.json"
ok "something illegal is exit code 1" test $? -eq 1
"$tmap" report -o "$tmp/no/such/place" "$tmp/bad.json" 2>/dev/null
ok "a place that cannot be written is exit code 2" test $? -eq 2
"$tmap" report </dev/null >/dev/null 2>&1
ok "an empty input is exit code 2" test $? -eq 2
if command -v python3 >/dev/null; then
    ok "every element is closed" python3 -c "
import html.parser, sys
class P(html.parser.HTMLParser):
    open_ = []
    def handle_starttag(self, t, a):
        if t not in ('meta', 'br'): self.open_.append(t)
    def handle_startendtag(self, t, a): pass
    def handle_endtag(self, t):
        assert self.open_.pop() == t, (t, self.getpos())
for name in sys.argv[1:]:
    p = P(); p.feed(open(name).read()); p.close(); assert not p.open_, p.open_" "$page" "$tmp/hostile.html" "$tmp/plans.html" "$tmp/deep.html"
else n=$((n + 1)); echo "ok $n # SKIP report's markup: no python3"; fi
if command -v chromium >/dev/null; then
    shot() { # shot NAME [FLAG...]
        to=$tmp/$1.png; shift
        timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/profile" "$@" \
            --window-size=1000,1400 --screenshot="$to" "file://$page" >/dev/null 2>&1
    }
    shot light; shot dark --blink-settings=preferredColorScheme=0
    page=$tmp/plans.html; shot plans; page=$tmp/page.html
    ok "a browser draws rings and roofs" test "$(wc -c <"$tmp/plans.png")" -gt 20000
    ok "a browser draws it" test "$(wc -c <"$tmp/light.png")" -gt 20000
    ok "light and dark differ" sh -c "! cmp -s '$tmp/light.png' '$tmp/dark.png'"
    ok "it prints" sh -c "timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir='$tmp/profile' --print-to-pdf='$tmp/page.pdf' 'file://$page' >/dev/null 2>&1; test -s '$tmp/page.pdf'"
else n=$((n + 1)); echo "ok $n # SKIP report in a browser: no chromium"; fi
echo "1..$n"
