"""print -> parse -> print gives the same bytes, whatever the graph is."""

from __future__ import annotations

import text_support as ts
from hypothesis import given, settings
from hypothesis import strategies as st
from text_support import INPUT, OUTPUT, UNKNOWN, Dtype, Kind, call

NASTY = [
    "a b",
    '"',
    "\\",
    '{"k": [1]}',
    "卷积",
    "🙂",
    "\0",
    "a\nb",
    "%x",
    "x[0]",
    "#",
    "//",
    "@g",
    "_",
    "return",
    "float32",
]
NASTY += [
    "~",
    "^x",
    "...",
    "\u202eabc",
    "in",
    "out",
    "after",
    "x:y",
    ":",
    "1",
    "-1",
    "nan",
    "Data",
    "NetOutput",
    "\x01" + "1",
]
NAMES = st.one_of(
    st.sampled_from([n.encode() for n in NASTY]), st.binary(min_size=1, max_size=6), st.sampled_from([b"x", b"y"])
)
DIMS = st.lists(st.tuples(st.integers(-1, 9), st.sampled_from([None, "N", "2*H", "a b", "?", "7"])), max_size=3)
TYPE_TEXTS = st.one_of(st.none(), st.none(), st.binary(max_size=4))
SCALARS = st.one_of(
    st.tuples(st.just(Kind.INT), st.integers(-(2**63), 2**63 - 1)),
    st.tuples(st.just(Kind.FLOAT), st.floats()),
    st.tuples(st.just(Kind.STRING), NAMES),
    st.tuples(st.just(Kind.LIST_STRING), st.lists(NAMES, max_size=2)),
)


@st.composite
def descs(draw):
    dims = draw(st.one_of(st.none(), DIMS))
    return ts.make_desc(
        draw(st.sampled_from([int(d) for d in Dtype])),
        None if dims is None else [d for d, _ in dims],
        None if dims is None or not dims else [s for _, s in dims],
        rank=UNKNOWN if dims is None and draw(st.booleans()) else None,
        fmt=draw(st.sampled_from([2, 2, 0, 1, 29])),
        origin=draw(st.one_of(st.none(), st.lists(st.integers(-1, 9), max_size=2))),
        origin_fmt=draw(st.sampled_from([2, 2, 0])),
        type_text=draw(TYPE_TEXTS),
    )


def _attrs(draw, owner, scope=0, index=0):
    for key, (kind, value) in draw(st.dictionaries(NAMES, SCALARS, max_size=2)).items():
        ts.set_attr(owner, key, kind, value, scope, index)


def _node(draw, graph, visible, taken):
    name = draw(NAMES.filter(lambda n: n not in taken))
    taken.add(name)
    op = draw(st.sampled_from([b"Relu", b"Data", b"Const", b"NetOutput", b"If", b"my op", b"float32"]))
    inputs = draw(st.lists(st.one_of(st.none(), st.sampled_from(visible)) if visible else st.none(), max_size=3))
    outputs = draw(st.sampled_from([1, 1, 1, 0, 2]))
    domain = draw(st.sampled_from([b"", b"", b"com.microsoft", b"x y"]))
    node = ts.make_node(graph, op, inputs, outputs, name, domain, draw(st.sampled_from([0, 0, 13, 17])))
    for i in range(outputs):
        if draw(st.booleans()):
            ts.set_desc(node, draw(descs()), OUTPUT, i)
        if draw(st.booleans()):
            call.value_set_name(node, i, draw(st.one_of(NAMES, st.sampled_from([name, name + b"_0", name + b" x"]))))
        _attrs(draw, node, OUTPUT, i)
    for i in range(len(inputs)):
        if draw(st.booleans()):
            ts.set_desc(node, draw(descs()), INPUT, i)
        _attrs(draw, node, INPUT, i)
    if op == b"Data" and draw(st.booleans()):
        ts.set_attr(node, "index", Kind.INT, draw(st.integers(0, 1)))
    if op == b"Const" and draw(st.booleans()):
        tensor = ts.make_tensor(Dtype.INT8, [2], b"ab")
        ts.set_attr(node, "value", Kind.TENSOR, tensor)
        call.tensor_release(tensor)
    _attrs(draw, node)
    return node, outputs


def _fill(draw, graph, around, depth):
    taken, nodes, visible = set(), [], list(around)
    for _ in range(draw(st.integers(0, 5))):
        node, outputs = _node(draw, graph, visible, taken)
        nodes.append(node)
        visible += [(node, i) for i in range(outputs)]
        for key in draw(st.lists(NAMES, unique=True, max_size=2)) if depth < 3 and draw(st.booleans()) else []:
            body = call.graph_create(draw(NAMES))
            call.subgraph_attach(node, key, body)
            _fill(draw, body, visible[: -outputs or None], depth + 1)
    for _ in range(draw(st.integers(0, 2)) if nodes else 0):
        source, target = draw(st.sampled_from(nodes)), draw(st.sampled_from(nodes))
        if source != target:
            call.node_move_before(source, draw(st.sampled_from([0, target])))
            call.control_add(source, target)
    _attrs(draw, graph)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_random_graphs(data):
    graph = call.graph_create(data.draw(NAMES))
    try:
        library = call.graph_create(b"f")
        call.subgraph_attach(graph, data.draw(NAMES), library)
        _fill(data.draw, library, [], 2)
        _fill(data.draw, graph, [], 0)
        ts.again(graph)
        ts.again(graph, ts.DATA)
        ts.text_of(graph, ts.ELIDE)
    finally:
        call.graph_release(graph)


@settings(max_examples=300, deadline=None)
@given(st.binary(min_size=1, max_size=20), st.binary(min_size=1, max_size=20))
def test_names_are_kept_byte_for_byte(name, other):
    graph = call.graph_create(other)
    node = ts.make_node(graph, other, name=name, domain=other)
    call.value_set_name(node, 0, other)
    ts.set_attr(node, other, Kind.STRING, name)
    copy = ts.parse(ts.again(graph))
    (twin,) = call.graph_nodes(copy, 0)
    assert call.node_name(twin) == call.node_name(node)
    assert call.value_name(twin, 0) == call.value_name(node, 0)
    assert call.node_op(twin) == call.node_op(node)
    assert call.attr_keys(twin, 0, 0) == call.attr_keys(node, 0, 0)
    call.graph_release(copy)
    call.graph_release(graph)


def test_captures_find_the_graph_that_is_meant():
    graph = call.graph_create("g")
    outer = ts.make_node(graph, "A", name=b"x")
    bodies, owners = [], [ts.make_node(graph, "If", name=b"if")]
    for level in range(3):
        body = call.graph_create(f"b{level}")
        call.subgraph_attach(owners[-1], "body", body)
        bodies.append(body)
        if level != 1:
            ts.make_node(body, "B", name=b"x")
        owners.append(ts.make_node(body, "If", name=b"if"))
    middle = call.graph_find_node(bodies[0], "x")
    ts.make_node(bodies[2], "Read", [(outer, 0), (middle, 0)], name=b"r")
    text = ts.again(graph).decode()
    assert "%r = Read(%^^^x, %^x)" in text
    call.graph_release(graph)


def test_ids_do_not_change_when_a_node_is_added(graph):
    ts.make_node(graph, "A", name=b"a")
    ts.make_node(graph, "B", name=b"b")
    before = ts.text_of(graph).splitlines()
    new = ts.make_node(graph, "C", name=b"c")
    call.node_move_before(new, call.graph_find_node(graph, "a"))
    assert [line for line in ts.text_of(graph).splitlines() if b"%c" not in line] == before
