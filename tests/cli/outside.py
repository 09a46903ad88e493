"""Prints the TAP lines of test_outside.sh: every command and format, given text from outside that holds
every control character, every mark of direction and every separator of lines, prints none of them."""
import json, os, subprocess, sys, tempfile, unicodedata, xml.dom.minidom

tmap, folder = sys.argv[1], tempfile.mkdtemp()
os.chdir(folder)
evil = [chr(c) for c in range(1, 0x110000)
        if not 0xd800 <= c < 0xe000 and (unicodedata.category(chr(c)) in ('Cc', 'Zl', 'Zp') or
        unicodedata.bidirectional(chr(c)) in ('LRE', 'RLE', 'LRO', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI')
        or c in (0x200e, 0x200f, 0x61c, 0xfeff))]
name = 'x' + 'y'.join(evil) + '\n::error::forged\n# forged\r::warning::forged'
desc = {'name': name, 'dtype': 'bf16', 'address': '0x7f0000000000', 'dim': [64, 64], 'stride': [128], 'box': [64, 64]}
illegal = dict(desc, stride=[130], allow={'TMA014': name})
unused = dict(desc, allow={'TMA014': name}, expect='illegal')
wrong = dict(desc, **{name: 1})
symbolic = dict(desc, dim=['K', 64], stride=['2*K'])
inputs = {'legal': [desc], 'illegal': [illegal], 'unused': [unused], 'wrong': [wrong], 'symbolic': [symbolic],
          'raw': None}
for key, records in inputs.items():
    path = key + '\x1b[31m\r::error::file.json'  # a file may be called so too
    with open(path, 'w') as f:
        if records: f.write('\n'.join(json.dumps(r, ensure_ascii=False) for r in records))
        else: f.write('{"name":"a\x1b[31m", "box":[1], "\x9b":\r 1}\n{"dtype":"\u202e\x1b"}\n')
    inputs[key] = path
solve = {'name': name, 'tensor': {'dtype': 'bf16', 'dim': [4096, 8192], 'stride': [8192]}, 'tile': [64, 128], 'op': name}
with open('solve', 'w') as f: f.write(json.dumps(solve, ensure_ascii=False))

def commands():
    for f in inputs.values():
        for form in 'text json jsonl sarif github'.split():
            yield ['check', '-f', form, f]
            yield ['check', '-f', form, '--arch', 'all', f]
            yield ['check', '-f', form, '--from', 'triton', f]
        for form in ('hex', 'c', 'json'): yield ['encode', '--as', form, f]
        for command in ('layout', 'repair', 'solve', 'condition', 'guard', 'pipeline', 'prune', 'decode'):
            yield [command, f]
            for form in ('json', 'jsonl'): yield [command, '-f', form, f]
        yield ['guard', '--as', 'python', f]
        yield ['diff', f, '--cuda', '12.0', '--against', '13.0']
    yield ['solve', 'solve']
    for argument in ('\x1b[31m', '\u202e', '\x9b', 'a\nb'):
        for command in ([argument], ['check', argument], ['check', '--' + argument], ['explain', argument],
                        ['check', '--arch', argument], ['rules', '--subject', argument], ['help', argument]):
            yield command

def shown(data):
    try: text = data.decode('utf-8')
    except UnicodeDecodeError as error: return str(error)
    bad = sorted({c for c in text if c in evil and c != '\n'})
    if bad: return ' '.join('U+%04X' % ord(c) for c in bad)
    if any(line.startswith(('::error::forged', '::warning::forged', '# forged')) for line in text.split('\n')):
        return 'a forged line'
    return ''

bad, n = [], 0
for command in commands():
    run = subprocess.run([tmap] + command, stdin=subprocess.DEVNULL, capture_output=True)
    n += 1
    for stream in (run.stdout, run.stderr):
        why = shown(stream)
        if why: bad.append('%s: %s' % (' '.join(command)[:60].encode('unicode_escape').decode(), why))
    if run.returncode < 0: bad.append('%r ended by signal %d' % (command, -run.returncode))
print('%sok 1 - %d commands print nothing that a terminal or a runner would obey' % ('not ' * bool(bad), n))
for line in bad[:20]: print('#', line)

subprocess.run([tmap, 'layout', '--svg', 'picture.svg', inputs['legal']], capture_output=True)
try:
    xml.dom.minidom.parse('picture.svg')
    print('ok 2 - the picture is XML')
except Exception as error:
    print('not ok 2 - the picture is XML: %s' % error)
print('1..2')
