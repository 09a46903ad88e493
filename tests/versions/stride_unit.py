"""In which unit one ptxas takes the value of tensormap.replace.global_stride.

The map stores the stride divided by 16. An assembler that takes bytes must shift the value right,
one that takes units of 16 bytes must not: so count the funnel shifts (SHF, opcode 0x819 in the low
12 bits of an instruction of 16 bytes) in the code it emits for sm_90a.
"""

import os
import struct
import subprocess

SOURCE = """.version 8.3
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
.reg .b64 g, v;
ld.param.u64 g, [a];
ld.param.u64 v, [b];
tensormap.replace.tile.global_stride.global.b1024.b64 [g], 0, v;
ret;
}
"""
SHF = 0x819


def section(elf, name):
    """The bytes of one section of a 64-bit little-endian ELF file."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    text = elf[heads[names][4] : heads[names][4] + heads[names][5]]
    for head in heads:
        if text[head[0] : text.index(b"\0", head[0])].decode() == name:
            return elf[head[4] : head[4] + head[5]]
    raise SystemExit("the object has no section " + name)


def stride_unit(ptxas, where):
    """16 or 1 (bytes); 0 when this ptxas has no tensormap.replace."""
    path, cubin = os.path.join(where, "s.ptx"), os.path.join(where, "s.cubin")
    with open(path, "w") as f:
        f.write(SOURCE)
    if subprocess.run([ptxas, "-arch=sm_90a", "-o", cubin, path], capture_output=True).returncode:
        return 0
    with open(cubin, "rb") as f:
        code = section(f.read(), ".text.k")
    shifts = sum(
        1 for i in range(0, len(code), 16) if struct.unpack_from("<H", code, i)[0] & 0xFFF == SHF
    )
    return 1 if shifts else 16
