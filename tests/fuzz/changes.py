# SPDX-License-Identifier: Apache-2.0
"""Changes that damage an input: of any text, and of a format. Each takes a random.Random and the input's bytes."""
import re, sqlite3

NUMBERS = ["0", "1", "-1", "2", "3", "7", "127", "128", "1000", "65536", "1000000", "2147483647", "2147483648",
           "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e9", "1e308", "1e-308",
           "nan", "inf", "0.5", "99999999999999999999"]
PIECES = [b"\xff\xfe", b"\x00", b"\xc3\x28", b"\r\n", b"\n", b"\t", b"\"", b"'", b"{", b"}", b"(", b")", b"[", b"]",
          b",", b"=", b"%", b"#", b"//", b"/*", b"\\", b"<script>", "é".encode(), "𝄞".encode()]


# --- changes of a text ------------------------------------------------------------------------------------------------


def change_number(rng, data):
    found = list(re.finditer(rb"(?<![\w.])-?\d+(\.\d+)?(e[-+]?\d+)?", data))
    if not found:
        return data
    at = rng.choice(found)
    return data[:at.start()] + rng.choice(NUMBERS).encode() + data[at.end():]


def exchange_word(rng, data):
    found = list(re.finditer(rb"[A-Za-z_%][\w.-]*", data))
    if len(found) < 2:
        return data
    at, other = rng.choice(found), rng.choice(found)
    return data[:at.start()] + other.group() + data[at.end():]


def lines_of(data):
    return data.split(b"\n")


def remove_line(rng, data):
    lines = lines_of(data)
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


def double_line(rng, data):
    lines = lines_of(data)
    at = rng.randrange(len(lines))
    lines[at:at] = [lines[at]] * rng.choice([1, 2, 50])
    return b"\n".join(lines)


def move_line(rng, data):
    lines = lines_of(data)
    line = lines.pop(rng.randrange(len(lines)))
    lines.insert(rng.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def insert_piece(rng, data):
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(PIECES) * rng.choice([1, 1, 1, 2, 1000]) + data[at:]


def remove_part(rng, data):
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice([1, 1, 4, 30, 300]):]


def cut_off(rng, data):
    return data[:rng.randrange(len(data) + 1)]


def flip_bits(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 3, 20])):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def move_byte(rng, data):
    """A length, tag or value of a protobuf becomes a small one or the largest of a byte."""
    at = rng.randrange(len(data)) if data else 0
    return data[:at] + bytes([rng.choice([0, 1, 2, 10, 18, 26, 127, 128, 255])]) + data[at + 1:]


def copy_part(rng, data):
    begin = rng.randrange(len(data) + 1)
    part = data[begin:begin + rng.choice([3, 20, 100])]
    at = rng.randrange(len(data) + 1)
    return data[:at] + part + data[at:]


TEXT = [change_number, change_number, change_number, exchange_word, exchange_word, remove_line, double_line, move_line,
        insert_piece, remove_part, cut_off, flip_bits, copy_part]


# --- changes that know the format -------------------------------------------------------------------------------------

OPCODES = ("abs add all-gather all-reduce all-to-all and batch-norm-training bitcast bitcast-convert broadcast call "
           "collective-permute compare concatenate conditional constant convert convolution copy custom-call divide dot "
           "dynamic-slice dynamic-update-slice exponential fft fusion gather get-tuple-element iota log map maximum "
           "minimum multiply negate outfeed pad parameter partition-id power reduce reduce-scatter reduce-window "
           "reshape reverse rng scatter select select-and-scatter slice sort subtract tanh transpose triangular-solve "
           "tuple while").split()


def hlo_shape(rng, data):
    found = list(re.finditer(rb"\b(pred|s\d+|u\d+|bf16|f\d+)\[([\d,]*)\]", data))
    if not found:
        return data
    at = rng.choice(found)
    kind = rng.choice([at.group(1), b"pred", b"s32", b"u8", b"f32", b"bf16", b"c64", b"token", b"f8e4m3fn"])
    sizes = [s for s in at.group(2).split(b",") if s]
    if sizes and rng.random() < 0.6:
        sizes[rng.randrange(len(sizes))] = rng.choice(NUMBERS).encode()
    elif rng.random() < 0.5:
        sizes.append(rng.choice([b"1", b"2", b"0", b"128"]))
    elif sizes:
        sizes.pop()
    return data[:at.start()] + kind + b"[" + b",".join(sizes) + b"]" + data[at.end():]


def hlo_opcode(rng, data):
    found = list(re.finditer(rb"(?<= )[a-z][a-z-]*(?=\()", data))
    if not found:
        return data
    at = rng.choice(found)
    return data[:at.start()] + rng.choice(OPCODES).encode() + data[at.end():]


def hlo_operand(rng, data):
    found = list(re.finditer(rb"%[\w.-]+", data))
    if len(found) < 2:
        return data
    at, other = rng.choice(found), rng.choice(found)
    return data[:at.start()] + other.group() + data[at.end():]


def hlo_attribute(rng, data):
    found = list(re.finditer(rb"(?<=, )\w+=(\{[^{}]*\}|[^,\s]+)", data))
    if not found:
        return data
    at, other = rng.choice(found), rng.choice(found)
    return data[:at.start()] + rng.choice([b"", other.group(), other.group() + b", " + at.group()]) + data[at.end():]


def toml_value(rng, data):
    lines = lines_of(data)
    keys = [i for i, line in enumerate(lines) if b"=" in line]
    if not keys:
        return data
    at = rng.choice(keys)
    value = rng.choice([rng.choice(NUMBERS), '"x"', '""', "[]", "{}", "true", "[1, 2]", '["a", 1]', '"1 GB/s"', '"-1 B"',
                        '"1e30 Hz"', "1979-05-27", '"\\u0000"', "[[[[]]]]", "{ from = 1, to = 1000000000, points = 3 }",
                        "{ from = 0, to = 0, points = 0 }"]).encode()
    lines[at] = lines[at].split(b"=")[0] + b"= " + value
    return b"\n".join(lines)


def csv_cell(rng, data):
    lines = lines_of(data)
    rows = [i for i, line in enumerate(lines) if b"," in line]
    if not rows:
        return data
    at = rng.choice(rows)
    cells = re.split(rb",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", lines[at])
    cells[rng.randrange(len(cells))] = rng.choice([rng.choice(NUMBERS).encode(), b"", b"x", b'"', b'"a,b"', b"1,234"])
    lines[at] = b",".join(cells)
    return b"\n".join(lines)


def exchange_parts(table):
    """Replaces one of the names of `table` by another one."""
    def change(rng, data):
        found = [name for name in table if name in data]
        return data.replace(rng.choice(found), rng.choice(table), 1) if found else data
    return change


HLO = TEXT + [hlo_shape, hlo_opcode, hlo_operand, hlo_attribute] * 3
TOML = TEXT + [toml_value] * 6
SHARDING = TEXT + [toml_value] * 3
ROWS = TEXT + [hlo_shape, hlo_opcode, csv_cell] * 4
BYTES = [flip_bits, flip_bits, cut_off, copy_part, insert_piece, remove_part, move_byte]
PASM = TEXT + [exchange_parts([b"s0", b"s1", b"s31", b"v0", b"v1", b"v31", b"vm1", b"f0", b"f7"])] * 4


def damaged_database(rng, data, folder):
    """The changes that SQL can make; None for data that is no database any more."""
    file = folder / "damaged.sqlite"
    file.write_bytes(data)
    try:
        with sqlite3.connect(file) as base:
            tables = [row[0] for row in base.execute("select name from sqlite_master where type = 'table'")]
            if not tables:
                return data
            table = rng.choice(tables)
            columns = [row[1] for row in base.execute(f'pragma table_info("{table}")')]
            column = rng.choice(columns)
            value = rng.choice([None, "", "x", -1, 1e300, 2**62, b"\xff\xfe\x00", "{", "[]", "{}", "null", "nan", "é" * 9,
                                "3", '"x"', "[null]", "[3]", "[{}]", '[{"name": null}]', '{"minimise": null}', "\x1b[31mred"])
            statement = rng.choice([f'update "{table}" set "{column}" = ?'] * 6 + [
                f'delete from "{table}" where rowid % 2 or ? is null', f'drop table "{table}"',
                f'alter table "{table}" rename column "{column}" to "other"'])
            base.execute(statement, (value,) if "?" in statement else ())
        return file.read_bytes()
    except (sqlite3.Error, UnicodeDecodeError):  # the schema may be damaged already
        return data
    finally:
        file.unlink(missing_ok=True)
