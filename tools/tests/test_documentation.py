"""The documentation is true: its Python runs, its commands exist, its paths are there."""

import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys

import onnx.parser
import pytest
from documentation import FILES, ROOT, blocks, commands, layout_paths

try:
    import tomllib
except ModuleNotFoundError:  # before CPython 3.11
    import tomli as tomllib

# What the examples find in the folder they run in: every pattern that the documentation draws occurs once.
MODEL = """<ir_version: 8, opset_import: ["" : 17]>
    tiny (float[2,3] x) => (float[2,4] y) <
        float[3,4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, float[4] b = {1, 2, 3, 4}
    > {
        product = MatMul(x, w)
        sum = Add(product, b)
        minus = Neg(sum)
        y = Add(minus, b)
    }"""
PASS_PATH = "ASCEND_GE_PY_PASS_PATH"
# Compiles each block under the name and at the line of its Markdown file, so that tracebacks lead there.
RUNNER = """
import json, sys
namespace = {"__name__": "__main__"}
for path, line, text in json.load(sys.stdin):
    exec(compile("\\n" * (line - 1) + text, path, "exec"), namespace)
"""
NAMES = [str(path.relative_to(ROOT)) for path in FILES]
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in zip(NAMES, FILES)}
WITH_PYTHON = [name for name in NAMES if any(block.language == "python" for block in blocks(TEXTS[name]))]
COMMANDS = sorted({(name, *words) for name in NAMES for words in commands(TEXTS[name])})


def python_blocks(name):
    return [block for block in blocks(TEXTS[name]) if block.language == "python"]


def environment(folder):
    return dict(os.environ, **{PASS_PATH: str(folder)})


def run_blocks(items, folder, **options):
    return subprocess.run(
        [sys.executable, "-c", RUNNER],
        input=json.dumps(items),
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        **options,
    )


@pytest.fixture
def folder(tmp_path):
    """A folder with a model, as the reader of the documentation has one."""
    (tmp_path / "model.onnx").write_bytes(onnx.parser.parse_model(MODEL).SerializeToString())
    return tmp_path


def test_there_is_python_to_run():
    assert "docs/first_pass.md" in WITH_PYTHON and "packages/ge-ir/README.md" in WITH_PYTHON


@pytest.mark.parametrize("name", WITH_PYTHON)
def test_python_blocks_run_one_after_the_other(name, folder):
    items = []
    for block in python_blocks(name):
        if block.saved_as:
            (folder / block.saved_as).write_text(block.text, encoding="utf-8")
        else:
            items.append((name, block.line, block.text))
    done = run_blocks(items, folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_a_block_that_fails_is_found_with_its_file_and_line(folder):
    done = run_blocks([("some.md", 7, "x = 1\n"), ("some.md", 12, "y = x\nz = y / 0\n")], folder)
    assert done.returncode == 1
    assert 'File "some.md", line 13' in done.stderr and "ZeroDivisionError" in done.stderr


def test_blocks_are_found_with_line_language_and_file_name():
    text = "# T\n\n```sh\n./dev demo  # all\n```\n\nSave it as `a.py` there:\n\n```python\nx = 1\n```\n"
    shell, code = blocks(text)
    assert (shell.language, shell.line, shell.saved_as) == ("sh", 4, "")
    assert (code.language, code.line, code.saved_as, code.text) == ("python", 10, "a.py", "x = 1\n")
    assert commands(text + "\nSee `./dev bench --list`.") == [["./dev", "demo"], ["./dev", "bench", "--list"]]


# --- Write your first pass ---------------------------------------------------------------------------------------

FIRST_PASS = "docs/first_pass.md"
APPLY = """
import json, sys
from ge.onnx import infer_shapes, load_model
from ge.passes import PassStage, run_passes

graph = load_model(sys.stdin.buffer.read())
if sys.argv[1] == "infer":
    infer_shapes(graph)
row = run_passes(graph, PassStage.AFTER_INFER_SHAPE)["FuseMatMulAdd"]
print(json.dumps([row.matches, row.rewrites, row.skipped]))
"""


@pytest.fixture
def with_pass(folder):
    """The folder with the pass file of the page."""
    (block,) = [block for block in python_blocks(FIRST_PASS) if block.saved_as]
    (folder / block.saved_as).write_text(block.text, encoding="utf-8")
    return folder


def small(body, inputs="float[2,3] x, float[3,4] w, float[4] b", outputs="y"):
    text = f'<ir_version: 8, opset_import: ["" : 17]> m ({inputs}) => ({outputs}) {{ {body} }}'
    return onnx.parser.parse_model(text).SerializeToString()


def matches_rewrites_skipped(folder, model, how="infer"):
    done = subprocess.run(
        [sys.executable, "-c", APPLY, how], input=model, env=environment(folder), cwd=folder, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_page_names_the_environment_variable():
    assert [words[1].partition("=")[0] for words in commands(TEXTS[FIRST_PASS]) if words[0] == "export"] == [PASS_PATH]


def test_page_shows_the_pass_at_work(with_pass):
    items = [(FIRST_PASS, block.line, block.text) for block in python_blocks(FIRST_PASS) if not block.saved_as]
    done = run_blocks(items, with_pass)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^FuseMatMulAdd +1 +1 +0 ", done.stdout, re.MULTILINE)
    assert re.search(r"= Gemm(@\d+)?\(%x, %w, %b\)", done.stdout), done.stdout
    assert not re.search(r"= MatMul\W", done.stdout)


def test_demo_runs_the_pass_of_the_page(with_pass):
    (words,) = [words for words in commands(TEXTS[FIRST_PASS]) if words[:2] == ["./dev", "demo"]]
    command = [sys.executable, str(ROOT / "examples" / "demo.py"), *words[2:], "--out", "out", "--json"]
    done = subprocess.run(command, cwd=with_pass, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["passes"] == [{"name": "FuseMatMulAdd", "matches": 1, "rewrites": 1}]
    assert result["max_abs_diff"] <= 1e-4
    assert sorted(path.name for path in (with_pass / "out").iterdir()) == ["partitioned.onnx", "parts.svg"]


# What the page says under "When it does not match", and what the report's row then shows.
DOES_NOT_MATCH = {
    "another reader": (small("m = MatMul(x, w) y = Add(m, b) z = Neg(m)", outputs="y, z"), [0, 0, 0]),
    "an output": (small("m = MatMul(x, w) y = Add(m, b)", outputs="y, m"), [0, 0, 0]),
    "a node in between": (small("m = MatMul(x, w) k = Identity(m) y = Add(k, b)"), [0, 0, 0]),
    "the other way round": (small("m = MatMul(x, w) y = Add(b, m)"), [0, 0, 0]),
    "three dimensions": (
        small("m = MatMul(x, w) y = Add(m, b)", "float[5,2,3] x, float[3,4] w, float[4] b"),
        [1, 0, 1],
    ),
    "a wider sum": (
        small("m = MatMul(x, w) y = Add(m, b)", "float[1,3] x, float[3,4] w, float[2,4] b"),
        [1, 0, 1],
    ),
}


@pytest.mark.parametrize(("model", "row"), DOES_NOT_MATCH.values(), ids=DOES_NOT_MATCH.keys())
def test_reasons_why_it_does_not_match(with_pass, model, row):
    assert matches_rewrites_skipped(with_pass, model) == row


def test_without_shapes_the_match_is_skipped(with_pass):
    model = small("m = MatMul(x, w) y = Add(m, b)")
    assert matches_rewrites_skipped(with_pass, model) == [1, 1, 0]
    assert matches_rewrites_skipped(with_pass, model, "do not infer") == [1, 0, 1]


def test_a_result_that_is_no_bool_fails_the_pass(with_pass):
    path = with_pass / "fuse_matmul_add.py"
    path.write_text(path.read_text(encoding="utf-8").replace("return list(product)", "list(product)"), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"meet_requirements must return bool, found NoneType"):
        matches_rewrites_skipped(with_pass, small("m = MatMul(x, w) y = Add(m, b)"))


def test_a_file_that_does_not_import_does_not_stop_the_others(with_pass):
    (with_pass / "broken.py").write_text("import no_such_module\n", encoding="utf-8")
    (with_pass / "test_fuse.py").write_text("raise SystemExit('a test was loaded')\n", encoding="utf-8")
    assert matches_rewrites_skipped(with_pass, small("m = MatMul(x, w) y = Add(m, b)")) == [1, 1, 0]


# --- commands and paths ------------------------------------------------------------------------------------------


def load_script(name, path):
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module  # dataclasses look their module up
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def dev():
    return load_script("ge_dev_documented", ROOT / "dev")


def help_of(*command):
    done = subprocess.run([sys.executable, *command, "--help"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)} --help: {done.stderr}"
    return done.stdout


def check_options(words, text):
    """Each option of ``words`` stands in the help text; ``[--json]`` in the documentation is an optional one."""
    for word in (word.strip("[]") for word in words):
        if word.startswith("-") and word != "--":
            assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text), f"no option {word}; there are:\n{text}"


def check_dev(dev, words):
    cut = words.index("--") if "--" in words else len(words)
    args, rest = dev.parser().parse_known_args(words[:cut])
    assert args.passes_on or not rest, f"./dev {args.command} does not know {rest}"
    if args.command == "bench":
        script = load_script("run", ROOT / "benchmarks" / "run.py")
        asked = script.parser().parse_args(rest)
        assert asked.list or asked.workload in script.available()
        assert asked.variant is None or asked.variant in script.load(asked.workload).variants
    elif args.command == "demo":
        check_options(rest, help_of("examples/demo.py"))
    elif args.command == "test":
        asked = [name for item in args.environments or [] for name in item.split(",")]
        assert set(asked) <= set(dev.all_environments())


def check_python(words):
    script, rest = (words[:2], words[2:]) if words[0] == "-m" else (words[:1], words[1:])
    text = help_of(*script)
    for word in rest:
        # A word that is no option is a subcommand if the help says so; NAME and [NAME ...] stand for arguments.
        if re.fullmatch(r"[a-z]+", word) and re.search(rf"\{{[^}}]*\b{word}\b[^}}]*\}}", text):
            text = help_of(*script, word)
    check_options(rest, text)


def check_pip(words):
    packages = [word for word in words if word.startswith("ge-")]
    for word in packages:
        name, _, extras = word.rstrip("]").partition("[")
        content = tomllib.loads((ROOT / "packages" / name / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert set(filter(None, extras.split(","))) <= set(content.get("optional-dependencies", {}))
    assert packages


@pytest.mark.parametrize(("name", "words"), [(item[0], item[1:]) for item in COMMANDS], ids=map(" ".join, COMMANDS))
def test_commands_exist(name, words, dev, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    if words[0] == "./dev":
        check_dev(dev, list(words[1:]))
    elif words[0] == "python":
        check_python(list(words[1:]))
    elif words[0] == "pip":
        check_pip(list(words))
    else:
        assert words[0] == "export", f"{name}: nothing here checks the command {' '.join(words)!r}"


def test_wrong_commands_are_found(dev, capsys):
    with pytest.raises(SystemExit):
        check_dev(dev, ["frobnicate"])
    with pytest.raises(AssertionError, match=r"\./dev build does not know"):
        check_dev(dev, ["build", "--nope"])
    with pytest.raises(AssertionError, match="no option --nope"):
        check_python(["tools/models/model_store.py", "fetch", "--nope"])
    with pytest.raises(AssertionError):
        check_pip(["pip", "install", "ge-ir[tensorflow]"])


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_paths_of_the_layout_tables_exist(name):
    paths = layout_paths(TEXTS[name])
    assert len(paths) >= 5
    assert [path for path in paths if not any(ROOT.glob(path.rstrip("/")))] == []


def folders(parent):
    return {path.name for path in parent.iterdir() if path.is_dir() and path.name[0] not in "._"}


def test_layout_tables_name_every_folder_of_the_repository():
    said = {path.strip("/").split("/")[0] for path in layout_paths(TEXTS["CONTRIBUTING.md"])}
    assert folders(ROOT) - said - {"build"} == set()
    tools = {f"tools/{name}" for name in folders(ROOT / "tools") - {"tests"}}
    assert tools - set(layout_paths(TEXTS["CONTRIBUTING.md"])) == set()


@pytest.mark.parametrize("name", NAMES)
def test_links_to_files_lead_somewhere(name):
    prose = re.sub(r"^```.*?^```$|`[^`\n]+`", "", TEXTS[name], flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)#:]+)\)", prose)
    assert [target for target in targets if not (ROOT / name).parent.joinpath(target).exists()] == []
