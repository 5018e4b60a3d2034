# SPDX-License-Identifier: Apache-2.0
"""podsim.build: what its programs compute against plain loops, what it says of mistakes, ResNet-50 as an example."""

import itertools
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python"))
import podsim  # noqa: E402
from podsim import build as nn  # noqa: E402

PROGRAM = os.environ.get("PODSIM")


def flat(value):
    return [number for part in value for number in flat(part)] if isinstance(value, list) else [value]


def nested(shape, draw):
    return [nested(shape[1:], draw) for _ in range(shape[0])] if shape else draw()


def literal(value):
    return "{" + ", ".join(map(literal, value)) + "}" if isinstance(value, list) else repr(value)


def softmax(row):
    weights = [math.exp(x - max(row)) for x in row]
    return [w / sum(weights) for w in weights]


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="podsim-build-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.random = random.Random(1)

    def draw(self, *shape):
        return nested(shape, lambda: round(self.random.uniform(-2, 2), 3))


@unittest.skipUnless(PROGRAM, "$PODSIM does not name the program")
class Values(Folder):
    """Every program is evaluated by podsim hlo eval."""

    def evaluate(self, function, *values, dtypes=()):
        def network(program):
            def shape(value):
                return (len(value), *shape(value[0])) if isinstance(value, list) else ()

            types = itertools.chain(dtypes, itertools.repeat("f32"))
            return function(*(program.input(f"x{i}", shape(v), t) for i, (v, t) in enumerate(zip(values, types))))

        return self.values_of(nn.text(network), values)

    def values_of(self, text, values):
        program, arguments = self.folder / "program.hlo", self.folder / "values.txt"
        program.write_text(text)
        arguments.write_text("\n".join(map(literal, values)))
        words = [PROGRAM, "hlo", "eval", str(program), "--json", *(["--args", str(arguments)] if values else [])]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + text)
        result = json.loads(done.stdout)["results"][0]
        return [part["value"] for part in result["elements"]] if "elements" in result else result["value"]

    def assert_close(self, actual, wanted):
        actual, wanted = flat(actual), flat(wanted)
        self.assertEqual(len(actual), len(wanted))
        for a, w in zip(actual, wanted):
            self.assertAlmostEqual(a, w, delta=1e-5 * max(1, abs(w)))

    def test_the_slope_of_relu_at_0_is_0_and_that_of_a_maximum_is_a_half(self):
        def network(program):
            x = program.parameter("x", (3,), dtype="f32")
            return (nn.relu(x) + nn.maximum(x, 0)).sum()

        program = self.folder / "program.hlo"
        program.write_text(nn.text(network))
        words = [PROGRAM, "hlo", "grad", str(program), "--parameters", "0"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_close(self.values_of(done.stdout, [[-1.0, 0.0, 2.0]])[0], [0, 0.5, 2])

    def test_einsum_sums_over_the_letters_that_the_result_lacks(self):
        sizes = {"a": 2, "b": 3, "c": 4, "d": 2}
        for subscripts in ("ab,bc->ac", "ab,cb->ca", "abd,acd->dcb", "ab,ab->", "ab,c->bca", "abc->ca", "ab,bc,cd->ad",
                           "ab,bc->c", "abc,bcd->acbd"):
            inputs, output = subscripts.split("->")
            terms = inputs.split(",")
            values = [self.draw(*(sizes[c] for c in term)) for term in terms]
            letters = sorted(set("".join(terms)))

            def element(value, places):
                for place in places:
                    value = value[place]
                return value

            wanted = {}
            for places in itertools.product(*(range(sizes[c]) for c in letters)):
                at = dict(zip(letters, places))
                product = math.prod(element(v, [at[c] for c in t]) for v, t in zip(values, terms))
                key = tuple(at[c] for c in output)
                wanted[key] = wanted.get(key, 0) + product
            with self.subTest(subscripts):
                self.assert_close(self.evaluate(lambda *x: nn.einsum(subscripts, *x), *values),
                                  [wanted[key] for key in sorted(wanted)])

    def test_operators_broadcast_as_those_of_numpy(self):
        x, y, z = self.draw(2, 3), self.draw(3), self.draw(2, 1)
        actual = self.evaluate(lambda x, y, z: (2 - x) * y / (z * z + 1) + nn.maximum(x, 0) - (-x)**3, x, y, z)
        self.assert_close(actual, [[(2 - x[i][j]) * y[j] / (z[i][0]**2 + 1) + max(x[i][j], 0) + x[i][j]**3
                                    for j in range(3)] for i in range(2)])

    def test_indices_are_those_of_lists(self):
        x = self.draw(4, 5, 2)
        self.assert_close(self.evaluate(lambda x: x[1:4:2, ..., -1], x), [[row[-1] for row in x[i]] for i in (1, 3)])
        self.assert_close(self.evaluate(lambda x: x[2, :3], x), x[2][:3])

    def test_a_convolution_is_a_sum_over_its_window(self):
        x, kernel = self.draw(1, 5, 6, 4), self.draw(2, 3, 2, 4)
        for padding, low in (("valid", (0, 0)), (1, (1, 1)), ("half", (0, 1)), ("same", (0, 1))):
            actual = self.evaluate(lambda x, k: nn.conv(x, k, stride=(1, 2), padding=padding, groups=2), x, kernel)

            def wanted(row, column, filters):
                group = filters // 2
                return sum(x[0][row + i - low[0]][2 * column + j - low[1]][2 * group + c] * kernel[i][j][c][filters]
                           for i in range(2) for j in range(3) for c in range(2)
                           if 0 <= row + i - low[0] < 5 and 0 <= 2 * column + j - low[1] < 6)

            # TensorFlow's "same" has the odd element of padding at the end: columns (3 - 1) * 2 + 3 - 6 = 1, none low.
            if padding == "same":
                low = (0, 0)
            with self.subTest(padding):
                rows, columns = len(actual[0]), len(actual[0][0])
                self.assert_close(actual, [wanted(r, c, f) for r, c, f in
                                           itertools.product(range(rows), range(columns), range(4))])

    def test_pools_take_the_extreme_and_the_mean(self):
        x = self.draw(1, 4, 4, 1)
        windows = [[x[0][2 * r + i][2 * c + j][0] for i in range(2) for j in range(2)]
                   for r, c in itertools.product(range(2), range(2))]
        self.assert_close(self.evaluate(lambda x: nn.max_pool(x, 2), x), [max(w) for w in windows])
        self.assert_close(self.evaluate(lambda x: nn.average_pool(x, 2), x), [sum(w) / 4 for w in windows])

    def test_losses_and_softmax(self):
        logits, labels = self.draw(3, 5), [4, 0, 2]
        actual = self.evaluate(lambda x, y: nn.cross_entropy(x, y, smoothing=0.1), logits, labels,
                               dtypes=("f32", "s32"))
        wanted = 0
        for row, label in zip(logits, labels):
            logs = [math.log(p) for p in softmax(row)]
            wanted -= (0.9 * logs[label] + 0.1 / 5 * sum(logs)) / 3
        self.assert_close(actual, wanted)
        self.assert_close(self.evaluate(nn.softmax, logits), [softmax(row) for row in logits])

    def test_a_scan_is_a_loop_and_may_read_what_is_outside(self):
        w, h, xs = self.draw(2, 2), self.draw(2), self.draw(5, 2)

        def network(w, h, xs):
            def one(h, x):
                h = nn.tanh(nn.einsum("i,ij->j", h, w) + x)
                return h, (h * h).sum()

            return nn.scan(one, h, xs)

        last, squares = self.evaluate(network, w, h, xs)
        wanted, state = [], h
        for x in xs:
            state = [math.tanh(sum(state[i] * w[i][j] for i in range(2)) + x[j]) for j in range(2)]
            wanted.append(sum(s * s for s in state))
        self.assert_close(last, state)
        self.assert_close(squares, wanted)

    def test_loops_in_loops(self):
        def network(x, factor):
            def outer(carry, _):
                inner, _ = nn.scan(lambda c, _: (c * factor, None), carry, length=2)
                return inner + x, None

            return nn.scan(outer, x, length=3)[0]

        x, factor = 1.5, 0.5
        wanted = x
        for _ in range(3):
            wanted = wanted * factor * factor + x
        self.assert_close(self.evaluate(network, x, factor), wanted)

    def test_layers_with_parameters(self):
        x, scale, bias = self.draw(2, 4), self.draw(4), self.draw(4)

        def network(program):
            return nn.layer_norm(program.input("x", (2, 4)))

        wanted = []
        for row in x:
            mean = sum(row) / 4
            variance = sum(v * v for v in row) / 4 - mean * mean
            wanted += [(v - mean) / math.sqrt(variance + 1e-6) * s + b for v, s, b in zip(row, scale, bias)]
        self.assert_close(self.values_of(nn.text(network), [x, scale, bias]), wanted)

    def test_attention_weighs_the_values(self):
        x = self.draw(1, 3, 4)
        weights = [self.draw(4, 2, 2), self.draw(4, 2, 2), self.draw(4, 2, 2), self.draw(2, 2, 4)]

        def network(program):
            return nn.attention(program.input("x", (1, 3, 4)), heads=2, causal=True)

        q, k, v = ([[[sum(x[0][s][f] * w[f][h][d] for f in range(4)) for d in range(2)] for h in range(2)]
                    for s in range(3)] for w in weights[:3])
        wanted = [[0.0] * 4 for _ in range(3)]
        for s, h in itertools.product(range(3), range(2)):
            shares = softmax([sum(q[s][h][d] * k[t][h][d] for d in range(2)) / math.sqrt(2) for t in range(s + 1)])
            for d, f in itertools.product(range(2), range(4)):
                wanted[s][f] += sum(p * v[t][h][d] for t, p in enumerate(shares)) * weights[3][h][d][f]
        self.assert_close(self.values_of(nn.text(network), [x, *weights]), wanted)

    def test_rows_of_a_table(self):
        table = self.draw(5, 3)
        text = nn.text(lambda program: nn.embedding(program, program.input("i", (2, 2), "s32"), 5, 3, dtype="f32"))
        self.assert_close(self.values_of(text, [[[4, 0], [2, 2]], table]), [table[i] for i in (4, 0, 2, 2)])


class Mistakes(Folder):
    def message(self, function):
        with self.assertRaises(nn.BuildError) as caught:
            nn.text(function)
        return str(caught.exception)

    def test_shapes_types_and_names_are_checked(self):
        cases = [
            (lambda p: p.input("x", (2, 3)) + p.input("y", (2,)), "[2, 3] and [2] do not broadcast"),
            (lambda p: p.input("x", (2,)) + p.input("y", (2,), "bf16"), "astype"),
            (lambda p: p.input("x", (2,), "f23"), "'f23' is no element type"),
            (lambda p: p.parameter("w", (2,)) + p.parameter("w", (2,)), "parameter 'w' already"),
            (lambda p: nn.einsum("ab,bc", p.input("x", (2, 2)), p.input("y", (2, 2))), "has no '->'"),
            (lambda p: nn.einsum("ab,bc->ac", p.input("x", (2, 2)), p.input("y", (3, 2))), "b is 2 and 3"),
            (lambda p: nn.conv(p.input("x", (1, 2, 2, 1)), p.input("k", (5, 5, 1, 1)), padding="valid"),
             "does not fit"),
            (lambda p: nn.scan(lambda c, _: (c + p.parameter("w", ()), None), p.input("x", ()), length=2),
             "outside of"),
            (lambda p: 3, "not int"),
            (lambda p: p.input("x", ()) if p.input("y", ()) > 0 else None, "no value"),
        ]
        for function, expected in cases:
            self.assertIn(expected, self.message(function))

    def run_program(self, *words):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, cwd=self.folder)

    @unittest.skipUnless(PROGRAM, "$PODSIM does not name the program")
    def test_a_mistake_is_named_with_the_line_of_the_file(self):
        (self.folder / "net.py").write_text("from podsim import build as nn\n\ndef net(program, size=3):\n"
                                            "    x = program.input('x', (2, size))\n    return nn.exp(x) @ x\n")
        done = self.run_program("run", "net.py:net")
        self.assertEqual(done.returncode, 2)
        self.assertIn("net.py:5: einsum", done.stderr)
        for words, expected in ((("run", "net.py:nut"), "no function 'nut'; it has net"),
                                (("run", "net.py:net", "--set", "model.sizes=2"), "'model.sizes' is no argument"),
                                (("run", "nut.py:net"), "cannot read 'nut.py'")):
            done = self.run_program(*words)
            self.assertEqual((done.returncode, expected in done.stderr), (2, True), done.stderr)
        done = self.run_program("run", "net.py:net", "--set", "model.size=2")
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(PROGRAM, "$PODSIM does not name the program")
    def test_without_python_the_program_says_what_is_missing(self):
        environment = {**os.environ, "PODSIM_PYTHON": str(self.folder / "none")}
        done = subprocess.run([PROGRAM, "run", "net.py:net"], capture_output=True, text=True, check=False,
                              env=environment)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be run, which this workload needs", done.stderr)
        self.assertIn("$PODSIM_PYTHON", done.stderr)


@unittest.skipUnless(PROGRAM, "$PODSIM does not name the program")
class ResNet(Folder):
    FILE = ROOT / "python" / "examples" / "resnet.py"

    def test_the_example_is_the_built_in_network(self):
        self.assertLessEqual(len(self.FILE.read_text().splitlines()), 120)
        written = podsim.run(f"{self.FILE}:resnet", slice="4x4", train="lars")
        built_in = podsim.run("resnet50", slice="4x4")
        self.assertAlmostEqual(written["flops_per_core_step"] / 2.985e12, 1, delta=0.03)  # of XLA, at 128 images
        self.assertAlmostEqual(written["step_time_s"] / built_in["step_time_s"], 1, delta=0.01)
        self.assertAlmostEqual(written["flops_per_core_step"] / built_in["flops_per_core_step"], 1, delta=1e-4)

    def test_a_study_varies_depth_and_width(self):
        (self.folder / "depths.toml").write_text(f"""
metrics = ["step_time_s", "flops_per_core_step"]
[base]
workload = "{self.FILE}:resnet"
train = "sgd_momentum"
slice = "1x1"
"model.batch" = 4
[axes]
"model.depth" = [26, 38, 50, 101, 152]
"model.width" = [16, 32, 48, 64]
""")
        study = podsim.sweep(self.folder / "depths.toml", jobs=2, output=self.folder / "out", strict=True)
        self.assertEqual(len(study.done), 20)
        for width in (16, 32, 48, 64):
            flops = [row["flops_per_core_step"] for row in
                     sorted(study.where({"model.width": width}), key=lambda row: row["model.depth"])]
            self.assertEqual(flops, sorted(set(flops)))
        # Published by torchvision for one image forward (v1.5): 4.09 and 11.51 billion multiply-adds at depths 50, 152.
        by_depth = {row["model.depth"]: row["flops_per_core_step"] for row in study.where({"model.width": 64})}
        self.assertAlmostEqual(by_depth[152] / by_depth[50], 11.51 / 4.09, delta=0.03)


if __name__ == "__main__":
    unittest.main()
