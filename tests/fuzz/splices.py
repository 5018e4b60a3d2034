# SPDX-License-Identifier: Apache-2.0
"""Changes that keep the form of a text: tokens of two sound inputs are exchanged, regions in braces are moved, and
numbers of a sound module are poisoned in every place. A change takes a random.Random, the bytes, and sound inputs of
the same format."""
import re

TOKEN = re.compile(rb'"(?:\\.|[^"\\\n])*"|[%@#!^]?[A-Za-z_][\w.-]*|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|->|[ \t]+|\n|.', re.S)
POISON = [b"0", b"-1", b"1", b"2147483647", b"2147483648", b"4294967296", b"9223372036854775807", b"9223372036854775808",
          b"18446744073709551616", b"-9223372036854775808", b"1e308", b"-1e308", b"nan", b"inf"]
HOSTILE_NAMES = [b"\x1b[31mred\x1b[0m", b"\xff\xfe", b"a\x00b", "\u202eabc".encode(), b"\x9b31m", b"\x07\x08\x7f",
                 b"<script>", b"x" * 5000, b"../../x", b""]


def tokens_of(data):
    return TOKEN.findall(data)


def kind_of(token):
    first = token[:1]
    if first == b'"':
        return "text"
    if first.isdigit() or (first == b"-" and len(token) > 1 and token != b"->"):
        return "number"
    return "name" if first.isalpha() or first in b"%@#!^_" else token


def splice_tokens(rng, data, sound):
    """A run of tokens gives way to one of another input that begins and ends with tokens of the same kinds."""
    here, there = tokens_of(data), tokens_of(rng.choice(sound))
    if not here or not there:
        return data
    begin = rng.randrange(len(here))
    end = min(len(here), begin + rng.choice([1, 1, 1, 2, 5, 20, 60]))
    first, last = kind_of(here[begin]), kind_of(here[end - 1])
    starts = [i for i, token in enumerate(there) if kind_of(token) == first]
    if not starts:
        return data
    start = rng.choice(starts)
    ends = [i + 1 for i in range(start, min(len(there), start + 80)) if kind_of(there[i]) == last]
    return b"".join(here[:begin] + there[start:rng.choice(ends) if ends else start + 1] + here[end:])


def exchange_tokens(rng, data, sound):
    """Two tokens of one kind change places."""
    here = tokens_of(data)
    places = {}
    for i, token in enumerate(here):
        places.setdefault(kind_of(token), []).append(i)
    kinds = [kind for kind in ("name", "number", "text") if len(places.get(kind, [])) > 1]
    if not kinds:
        return data
    a, b = rng.sample(places[rng.choice(kinds)], 2)
    here[a], here[b] = here[b], here[a]
    return b"".join(here)


def regions_of(data):
    """Spans of what stands in braces or brackets, with them, outer ones first; texts in quotes are passed over."""
    pairs = {b"{": b"}", b"(": b")", b"[": b"]", b"<": b">"}
    open_, spans = [], []
    for match in re.finditer(rb'"(?:\\.|[^"\\\n])*"|->|[{}()\[\]<>]', data):
        letter = match.group()
        if letter in pairs:
            open_.append((letter, match.start()))
        elif open_ and pairs[open_[-1][0]] == letter:
            spans.append((open_.pop()[1], match.end()))
    return sorted(spans)


def whole_lines(data, span):
    """The span with the rest of its first and last line: an operation with its regions, or a computation."""
    begin = data.rfind(b"\n", 0, span[0]) + 1
    end = data.find(b"\n", span[1])
    return begin, len(data) if end < 0 else end + 1


def change_region(rng, data, sound):
    """Regions are doubled, moved, removed, put into one another, exchanged or taken from another input."""
    spans = regions_of(data)
    if not spans:
        return data
    large = [span for span in spans if b"\n" in data[span[0]:span[1]]] or spans
    a = rng.choice(large if rng.random() < 0.7 else spans)
    if rng.random() < 0.4:
        a = whole_lines(data, a)
    b = rng.choice(spans)
    part, what = data[a[0]:a[1]], rng.randrange(7)
    if what == 0:
        return data[:a[1]] + rng.choice([b"", b", ", b"\n"]) + part * rng.choice([1, 1, 2, 30]) + data[a[1]:]
    if what == 1:
        return data[:a[0]] + data[a[1]:]
    if what == 2:  # its inside alone goes
        return data[:a[0] + 1] + data[a[1] - 1:]
    if what == 3:  # moved behind another's opening
        left = data[:a[0]] + data[a[1]:]
        at = min(len(left), b[0] + 1)
        return left[:at] + part + left[at:]
    if what == 4:  # put into itself
        return data[:a[0] + 1] + part * rng.choice([1, 1, 3]) + data[a[0] + 1:]
    if what == 5 and a[1] <= b[0]:
        return data[:a[0]] + data[b[0]:b[1]] + data[a[1]:b[0]] + part + data[b[1]:]
    other = rng.choice(sound)
    theirs = regions_of(other)
    if not theirs:
        return data
    c = rng.choice(theirs)
    return data[:a[0]] + other[c[0]:c[1]] + data[a[1]:]


NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])|(?<=x)\d+(?=x)|(?<=<)\d+(?=x)")
PLACES = [re.compile(text) for text in (
    rb"(?:size|stride|pad|lhs_dilate|rhs_dilate)=([-\dx_]+)", rb"(?:groups?|pairs|ids|dimensions?|dims|sizes|config)=(\S+)",
    rb"array<i64: ?([^>]*)>", rb"dense<([^>]*)>", rb"tensor<([^>]*)>", rb"[a-z]\d+\[([\d,]*)\]", rb"(?:=|:)\s*([-\d.e]+)",
    rb"channel_id=(\d+)", rb"index=(\d+)", rb"count = (\d+)")]


def poison_number(rng, data, sound):
    """One number of a dimension, window, group, index or value."""
    spans = [match.span(1) for match in rng.choice(PLACES).finditer(data) if match.group(1)]
    if not spans:
        spans = [match.span() for match in NUMBER.finditer(data)]
    if not spans:
        return data
    begin, end = rng.choice(spans)
    inner = [match.span() for match in re.finditer(rb"-?\d+", data[begin:end])]
    if inner:
        first, last = rng.choice(inner)
        begin, end = begin + first, begin + last
    return data[:begin] + rng.choice(POISON) + data[end:]


def poison_everywhere(rng, data, sound):
    """All numbers that are equal, so that shapes go on to fit each other."""
    found = NUMBER.findall(data)
    if not found:
        return data
    old, new = rng.choice(found), rng.choice(POISON)
    return NUMBER.sub(lambda match: new if match.group() == old else match.group(), data)


def rename(rng, data, sound):
    """A name becomes one that steers terminals, is no UTF-8, or ends in a file's or page's middle, in every place."""
    found = re.findall(rb"(?<=%)[\w.-]+|(?<=\")[\w./ -]+(?=\")|(?<=@)\w+", data)
    if not found:
        return data
    return data.replace(rng.choice(found), rng.choice(HOSTILE_NAMES))


TOKENS = [splice_tokens, splice_tokens, exchange_tokens]
REGIONS = [change_region]
NUMBERS = [poison_number, poison_number, poison_everywhere]
NAMES = [rename]
