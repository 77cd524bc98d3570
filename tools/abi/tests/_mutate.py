"""Edits of a definition that break its layout, for the tests of the golden check and of the assertions."""

from __future__ import annotations

import copy
from typing import Any, Callable

Data = dict[str, Any]


def _swap(data: Data) -> None:
    slots = data["slot"]
    slots[1], slots[2] = slots[2], slots[1]


def _drop(data: Data) -> None:
    del data["slot"][1]


def _drop_last(data: Data) -> None:
    del data["slot"][-1]


def _insert(data: Data) -> None:
    data["slot"].insert(1, {"name": "inserted", "thread": "any", "params": []})


def _rename(data: Data) -> None:
    data["slot"][1]["name"] = "renamed"


def _first_param(data: Data, type_: str) -> Data:
    for slot in data["slot"]:
        for param in slot["params"]:
            if param["type"].split(":")[0] == type_:
                return param  # type: ignore[no-any-return]
    raise LookupError(type_)


def _retype_argument(data: Data) -> None:
    _first_param(data, "handle")["type"] = "u32"


def _retype_result(data: Data) -> None:
    """A result of another width: what a changed return type is where every slot returns its status."""
    for slot in data["slot"]:
        for param in slot["params"]:
            if param["type"].startswith("out ") and param["type"].split()[1].split(":")[0] in ("handle", "u64", "f64"):
                param["type"] = "out i16"
                param.pop("enum", None)
                return
    raise LookupError("out")


def _lose_argument(data: Data) -> None:
    next(s for s in data["slot"] if len(s["params"]) > 1)["params"].pop()


def _const(data: Data) -> None:
    """A read-only struct becomes a result: the const of the pointer changes."""
    param = _first_param(data, "struct")
    param["type"] = f"out {param['type']}"


def _renumber(data: Data) -> None:
    values = data["enum"][0]["values"]
    values[-1]["value"] = max(v["value"] for v in values) + 1


def _struct_field(data: Data) -> None:
    """Two fields of one size trade places."""
    fields = next(s for s in data["struct"] if _swappable(s["fields"]))["fields"]
    at = _swappable(fields)
    fields[at], fields[at + 1] = fields[at + 1], fields[at]


def _swappable(fields: list[Data]) -> int:
    for i in range(1, len(fields) - 1):
        pair = {fields[i]["type"], fields[i + 1]["type"]}
        if len(pair) == 2 and pair <= {"i64", "f64", "u64", "ptr"} and "since" not in fields[i + 1]:
            return i
    return 0


def _thread(data: Data) -> None:
    data["slot"][0]["thread"] = "main" if data["slot"][0]["thread"] != "main" else "any"


def _nullable(data: Data) -> None:
    param = data["slot"][-1]["params"][0]
    param["nullable"] = not param.get("nullable", False)


# Edits that a compiler can see.
LAYOUT: dict[str, Callable[[Data], None]] = {
    "swap": _swap,
    "drop": _drop,
    "drop_last": _drop_last,
    "insert": _insert,
    "rename": _rename,
    "retype_argument": _retype_argument,
    "retype_result": _retype_result,
    "lose_argument": _lose_argument,
    "const": _const,
    "renumber": _renumber,
    "struct_field": _struct_field,
}
# Edits of the contract alone.
CONTRACT: dict[str, Callable[[Data], None]] = {"thread": _thread, "nullable": _nullable}


def mutated(data: Data, edit: Callable[[Data], None]) -> Data:
    """A copy of the definition with one edit."""
    result = copy.deepcopy(data)
    edit(result)
    return result


def appended(data: Data) -> Data:
    """The next minor: a slot, an enum value, a struct field, a struct and a callback more."""
    result = copy.deepcopy(data)
    since = result["table"]["minor"] = data["table"]["minor"] + 1
    result["slot"].append({"name": "added", "thread": "any", "since": since, "params": [{"name": "x", "type": "u32"}]})
    values = result["enum"][0]["values"]
    values.append({"name": "ADDED", "value": max(v["value"] for v in values) + 1, "since": since})
    result["struct"][0]["fields"].append({"name": "added", "type": "u64", "since": since})
    fields = [{"name": "struct_size", "type": "u32"}, {"name": "reserved0", "type": "u32"}]
    result["struct"].append({"name": f"{data['table']['name']}_added", "since": since, "fields": fields})
    result.setdefault("callback", []).append(
        {"name": f"{data['table']['name']}_added_fn", "since": since, "params": []}
    )
    return result
