"""Rules that hold over all five packages."""

import re
from pathlib import Path

import pytest

try:
    import tomllib
except ModuleNotFoundError:  # before CPython 3.11
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
CORE = ("ge-ir", "ge-partition", "ge-passes", "ge-runtime")
ALL = (*CORE, "ge-bridge-native")


def project(package):
    return tomllib.loads((ROOT / "packages" / package / "pyproject.toml").read_text(encoding="utf-8"))


def requirements(package):
    content = project(package)["project"]
    listed = list(content["dependencies"])
    for extra in content.get("optional-dependencies", {}).values():
        listed += extra
    return listed


def test_every_core_package_builds_by_the_same_rules():
    texts = {(ROOT / "packages" / name / "cmake" / "ge_core_library.cmake").read_text() for name in CORE}
    assert len(texts) == 1


@pytest.mark.parametrize("package", ALL)
def test_license_travels_with_the_package(package):
    assert (ROOT / "packages" / package / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.parametrize("package", ALL)
def test_dependencies_are_floors_only(package):
    for requirement in requirements(package):
        assert re.fullmatch(r"[a-z_-]+(\[[a-z]+\])?(>=[0-9.]+)?", requirement), requirement


@pytest.mark.parametrize("package", ALL)
def test_cmake_and_metadata_agree_on_the_version(package):
    cmake = (ROOT / "packages" / package / "CMakeLists.txt").read_text()
    stated = re.search(rf"^project\({package} VERSION (\S+) ", cmake, re.MULTILINE)
    content = project(package)
    assert stated and stated[1] == content["project"]["version"] == content["tool"]["towncrier"]["version"]


def test_build_pins_are_those_of_the_development_environment():
    lines = (ROOT / "tools" / "requirements" / "build.txt").read_text().splitlines()
    pins = {line for line in lines if not line.startswith("#")}
    for package in ALL:
        assert set(project(package)["build-system"]["requires"]) <= pins


def test_floors_are_tested_with_exactly_the_floors():
    stated = set()
    for package in ALL:
        stated |= {item for item in requirements(package) if not item.startswith("ge-")}
    lines = (ROOT / "tools" / "requirements" / "floors.txt").read_text().splitlines()
    tested = dict(line.split("==") for line in lines if "==" in line)
    assert {item.split(">=")[0] for item in stated} == set(tested)
    for item in stated:
        name, floor = item.split(">=")
        assert tested[name].startswith(floor + "."), f"{name}: floor {floor}, tested {tested[name]}"


def test_the_namespace_has_no_init_file():
    assert not list(ROOT.glob("packages/*/src/ge/__init__.py"))


@pytest.mark.parametrize("package", ALL)
def test_changelog_fragments_have_a_known_kind(package):
    kinds = {item["directory"] for item in project(package)["tool"]["towncrier"]["type"]}
    for fragment in (ROOT / "packages" / package / "changelog.d").glob("*"):
        assert fragment.suffix == ".md" and fragment.stem.rpartition(".")[2] in kinds, fragment.name
