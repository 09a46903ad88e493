"""Prints the TAP lines of test_growth.sh."""
import json, os, resource, subprocess, sys, tempfile

tmap, path = sys.argv[1], os.path.join(tempfile.mkdtemp(), 'in')
legal = {'dtype': 'bf16', 'address': '0x7f0000000000', 'dim': [64, 64], 'stride': [128], 'box': [64, 64]}
illegal = dict(legal, stride=[130])
form = 'cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];\n'

def lines(record, n): return '\n'.join([json.dumps(record)] * n)
def one_line(record, n): return '[' + ','.join([json.dumps(record)] * n) + ']'
def uses(n): return json.dumps(dict(legal, uses=[{'op': 'load', 'coord': [8, 0], 'smem': '0x400'}] * n))
def illegal_uses(n): return uses(n).replace('0x400', '0x408')
def ptx(n): return '.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n' + form * n + '}\n'
def digits(n): return ('%0256x\n' % 1) * n
def words(n): return '\n'.join(['{"words":[' + ','.join(['"0x1"'] * 16) + ']}'] * n)
def tile(n): return json.dumps({'tensor': {'dtype': 'bf16', 'dim': [4096, n]}, 'tile': [66, n]})

cases = [  # what, the command, its input of size n, n
    ('records a line each', ['check'], lambda n: lines(illegal, n), 2000),
    ('records on one line', ['check'], lambda n: one_line(illegal, n), 2000),
    ('records on one line, json', ['check', '-f', 'json'], lambda n: one_line(illegal, n), 1000),
    ('records on one line, sarif', ['check', '-f', 'sarif'], lambda n: one_line(illegal, n), 1000),
    ('records on one line, github', ['check', '-f', 'github'], lambda n: one_line(illegal, n), 2000),
    ('broken records', ['check'], lambda n: lines(illegal, n).replace('}', ''), 2000),
    ('opening brackets', ['check'], lambda n: '[{' * n, 20000),
    ('uses of one record', ['check'], uses, 1000),
    ('illegal uses of one record', ['check'], illegal_uses, 1000),
    ('uses of one illegal record, sarif', ['check', '-f', 'sarif'], illegal_uses, 1000),
    ('PTX instructions', ['check', '--ptx'], ptx, 2000),
    ('bytes to decode', ['decode'], digits, 2000),
    ('words to decode', ['decode'], words, 1000),
    ('records to encode', ['encode'], lambda n: one_line(legal, n), 4000),
    ('arrays in C', ['encode', '--as', 'c'], lambda n: one_line(dict(legal, name='a'), n), 1000),
    ('rows of a tile to solve', ['solve'], tile, 200000),
    ('rows of a tile that is given up', ['solve'], tile, 10000000),
    ('records to lay out', ['layout', '-f', 'jsonl'], lambda n: one_line(legal, n), 100),
]

def seconds(command, text):
    with open(path, 'w') as f: f.write(text)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([tmap] + command + [path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

for i, (what, command, text, n) in enumerate(cases, 1):
    small, large = min(seconds(command, text(n)) for _ in range(3)), seconds(command, text(8 * n))
    ratio = large / max(small, 0.02)
    print('%sok %d - %s: %d take %.2f s, %d take %.2f s' % ('' if ratio < 24 else 'not ', i, what, n, small, 8 * n, large))
print('1..%d' % len(cases))
