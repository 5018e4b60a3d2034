# SPDX-License-Identifier: Apache-2.0
"""Changes of a protobuf by its wire format: fields at any depth are repeated, dropped, exchanged, encoded as another
wire type, or given lengths and varints that do not fit. And changes of JSON by its values."""
import json

VARINTS = [0, 1, 2, 127, 128, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1]
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
        if shift > 63:
            raise ValueError


def fields_of(data):
    """[number, wire type, value] of a message; None if it is none."""
    fields, at = [], 0
    try:
        while at < len(data):
            key, at = read_varint(data, at)
            number, wire = key >> 3, key & 7
            if number == 0 or number > 100_000:
                return None
            if wire == VARINT:
                value, at = read_varint(data, at)
            elif wire in (FIXED32, FIXED64):
                size = 4 if wire == FIXED32 else 8
                value, at = data[at:at + size], at + size
            elif wire == BYTES:
                size, at = read_varint(data, at)
                value, at = data[at:at + size], at + size
                if len(value) != size:
                    return None
            else:
                return None
            if at > len(data):
                return None
            fields.append([number, wire, value])
    except (IndexError, ValueError):
        return None
    return fields


def bytes_of(field):
    if isinstance(field, bytes):
        return field
    number, wire, value = field
    key = varint(number << 3 | wire)
    if wire == VARINT:
        return key + varint(value)
    return key + (varint(len(value)) if wire == BYTES else b"") + value


def as_wire(rng, field):
    """The field with another wire type."""
    number, wire, value = field
    new = rng.choice([kind for kind in (VARINT, FIXED64, BYTES, FIXED32, 3, 4, 6, 7) if kind != wire])
    key = varint(number << 3 | new)
    if new == VARINT:
        return key + varint(rng.choice(VARINTS))
    if new in (FIXED32, FIXED64):
        return key + rng.choice([b"\x00", b"\xff"]) * (4 if new == FIXED32 else 8)
    return key + (varint(3) + b"abc" if new == BYTES else b"")


def poisoned(rng, field):
    number, wire, value = field
    if wire == VARINT:
        return [number, wire, rng.choice(VARINTS)]
    if wire in (FIXED32, FIXED64):
        size = len(value)
        return [number, wire, rng.choice([b"\x00" * size, b"\xff" * size, b"\x00" * (size - 1) + b"\x80",
                                          b"\x00" * (size - 2) + b"\xf0\x7f"])]
    how = rng.randrange(5)
    if how == 0:
        return [number, wire, b""]
    if how == 1:  # a packed list of poison, or a text
        return [number, wire, b"".join(varint(rng.choice(VARINTS)) for _ in range(rng.choice([1, 3, 50])))]
    if how == 2:
        return [number, wire, rng.choice([b"\xff\xfe", b"\x1b[31mred", b"a\x00b", b"x" * 5000])]
    return varint(number << 3 | wire) + varint(rng.choice([0, len(value) + 1, len(value) * 2, 2**31, 2**32, 2**63,
                                                           2**64 - 1])) + value


def changed(rng, data, depth=0):
    fields = fields_of(data)
    if not fields:
        return data
    at = rng.randrange(len(fields))
    number, wire, value = fields[at]
    # Mostly deep: a message of HLO is thousands of fields, and its own number is few.
    if wire == BYTES and depth < 12 and rng.random() < 0.8 and fields_of(value):
        fields[at] = [number, wire, changed(rng, value, depth + 1)]
        return b"".join(map(bytes_of, fields))
    what = rng.randrange(8)
    if what == 0:
        fields[at:at] = [fields[at]] * rng.choice([1, 1, 2, 100])
    elif what == 1:
        del fields[at]
    elif what == 2:
        fields[at] = as_wire(rng, fields[at])
    elif what in (3, 4):
        fields[at] = poisoned(rng, fields[at])
    elif what == 5:
        other = rng.randrange(len(fields))
        fields[at], fields[other] = fields[other], fields[at]
    elif what == 6:
        fields[at] = [rng.choice([number + 1, max(1, number - 1), 1, 2, 15, 16, 99]), wire, value]
    else:
        same = [i for i, field in enumerate(fields) if field[0] == number]
        fields[at] = [number, wire, fields[rng.choice(same)][2]]
    return b"".join(map(bytes_of, fields))


def change_message(rng, data, sound):
    return changed(rng, data)


def change_delimited(rng, data, sound):
    """A sequence of messages, each behind its length, as Chakra has it: one of them, or their order."""
    messages, at = [], 0
    try:
        while at < len(data):
            size, at = read_varint(data, at)
            messages.append(data[at:at + size])
            at += size
    except (IndexError, ValueError):
        return changed(rng, data)
    if not messages:
        return data
    one = rng.randrange(len(messages))
    what = rng.randrange(8)
    if what == 0:
        del messages[one]
    elif what == 1:
        messages.insert(rng.randrange(len(messages)), messages[one])
    else:
        messages[one] = changed(rng, messages[one])
    return b"".join(varint(len(message)) + message for message in messages)


VALUES = [None, True, -1, 0, 0.5, 1e308, -1e308, 2**31, 2**63 - 1, 2**63, 2**64, "", "x", "\x1b[31mred", "\ud800", [], {},
          [None], {"x": None}, [[[[]]]]]


def change_json(rng, data, sound):
    """A value of JSON becomes null, one of another type or an extreme one, or goes, or is there twice."""
    try:
        root = json.loads(data)
    except ValueError:
        return data
    places = []

    def walk(value, depth=0):
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in items:
            places.append((value, key))
            if depth < 8 and len(places) < 5000:
                walk(inner, depth + 1)
    walk(root)
    if not places or rng.random() < 0.02:
        return json.dumps(rng.choice(VALUES)).encode()
    owner, key = rng.choice(places)
    what = rng.random()
    if what < 0.2:
        del owner[key]
    elif what < 0.3:
        other, place = rng.choice(places)
        try:
            owner[key] = json.loads(json.dumps(other[place]))
        except (KeyError, IndexError, ValueError):
            return data
    else:
        owner[key] = rng.choice(VALUES)
    text = json.dumps(root)
    return text.replace('"\\ud800"', '"\udcff"').encode("utf-8", "surrogateescape")


MESSAGES, DELIMITED, JSON = [change_message], [change_delimited], [change_json]
