"""Random root graphs with everything that a split must carry; the same seed gives the same graph."""

from __future__ import annotations

import random
from typing import Any, Callable, Optional

from ge.graph import DataType, Graph, Node, Tensor, TensorDesc

__all__ = ["NAMES", "random_graph"]

NAME = "fz"
# Names that a split makes itself; a user may have taken them.
NAMES = [
    f"{NAME}_sub_{part}_{kind}{rest}"
    for part in (0, 1, 2)
    for kind in ("know", "unknow")
    for rest in ("", "_Data_0", "_Data_1", "_Node_Output", f"_PartitionedCall_{part}", "_Data_0_1")
]
Value = Optional[tuple[Node, int]]


class _Builder:
    """Makes one graph; `values` are what a new node may read."""

    def __init__(self, seed: int, size: int) -> None:
        self.chance = random.Random(seed)
        self.size = size
        self.graph = Graph(NAME)
        self.values: list[Value] = []
        self.names = iter(self.chance.sample(NAMES, len(NAMES)))

    def rarely(self, share: float) -> bool:
        return self.chance.random() < share

    def name(self) -> str:
        return next(self.names, "") if self.rarely(0.15) else ""

    def desc(self, dims: list[int] | None = None) -> TensorDesc:
        return TensorDesc(dims or self.chance.choice([[4], [2, 3], []]), data_type=DataType.DT_FLOAT)

    def attrs(self) -> dict[str, Any]:
        attrs: dict[str, Any] = {"k": self.chance.randrange(100)}
        if self.rarely(0.25):
            attrs["_force_unknown_shape"] = True
        if self.rarely(0.1):
            attrs["OwnerGraphIsUnknown"] = self.rarely(0.5)
        if self.rarely(0.1):
            attrs["words"] = ["a", "", "b"]
        return attrs

    def leaves(self) -> None:
        for index in range(self.chance.randrange(4)):
            node = self.graph.create_node("Data", name=self.name(), attrs={"index": index}, output_descs=[self.desc()])
            self.values.append((node, 0))
        for _ in range(self.chance.randrange(4)):
            self.values.append((self.constant(self.graph), 0))

    def constant(self, graph: Graph) -> Node:
        kind, version = self.chance.choice([("Const", 0), ("Constant", 13), ("ConstantOP", 0)])
        value = Tensor([float(self.chance.randrange(9))], data_type=DataType.DT_FLOAT, shape=[1])
        node = graph.create_node(
            kind, name=self.name(), op_version=version, attrs={"value": value}, output_descs=[self.desc([1])]
        )
        if self.rarely(0.2):
            node.set_attr("words", ["x", "y"])
        return node

    def inputs(self, values: list[Value]) -> list[Value]:
        count = self.chance.choice([0, 1, 1, 2, 2, 3])
        recent = values[-6:] if self.rarely(0.7) else values
        return [None if not recent or self.rarely(0.05) else self.chance.choice(recent) for _ in range(count)]

    def operator(self, graph: Graph, values: list[Value]) -> Node:
        outputs = self.chance.choice([0, 1, 1, 1, 1, 2, 3])
        kind = self.chance.choice(["A", "B", "Variable", "If"])
        node = graph.create_node(
            kind, self.inputs(values), name=self.name() if graph is self.graph else "",
            domain=self.chance.choice(["", "", "my.domain"]), op_version=self.chance.choice([0, 7]),
            output_count=outputs, attrs=self.attrs(), output_descs=[self.desc() for _ in range(outputs)],
        )  # fmt: skip
        if kind == "Variable" and self.rarely(0.5):
            node.set_attr("ref_var_src_var_name", "v")
        self.decorate(node, outputs)
        return node

    def decorate(self, node: Node, outputs: int) -> None:
        for index in range(outputs):
            if self.rarely(0.3):
                node.set_output_name(index, self.chance.choice(["same", "other", "third value"]))
            if self.rarely(0.1):
                node.set_output_attr("mark", index, self.chance.randrange(5))
            if self.rarely(0.05):
                node.update_output_desc(index, self.desc([-1, 4]))
        for slot, value in enumerate(node.inputs):
            if self.rarely(0.1):
                node.set_input_attr("mark", slot, self.chance.randrange(5))
            if value is not None and self.rarely(0.1):
                node.update_input_desc(slot, TensorDesc([7], data_type=DataType.DT_INT32))

    def bodies(self, node: Node, values: list[Value], depth: int) -> None:
        for key in self.chance.sample(["then_branch", "else_branch", "body"], self.chance.randrange(1, 3)):
            body = Graph(self.chance.choice(["t", "e", NAME, f"{NAME}_sub_0_know"]))
            node.add_subgraph(key, body)
            inner = list(values)
            for index in range(self.chance.randrange(2)):
                data = body.create_node("Data", attrs={"index": index}, output_descs=[self.desc()])
                inner.append((data, 0))
            for _ in range(self.chance.randrange(1, 4)):
                made = self.constant(body) if self.rarely(0.15) else self.operator(body, inner)
                if depth and self.rarely(0.4):
                    self.bodies(made, inner, depth - 1)
                inner += [(made, index) for index in range(made.output_count)]
            body.create_node("NetOutput", self.inputs(inner) or [None], name="r", output_count=0)

    def operators(self) -> None:
        for _ in range(self.size):
            made = self.operator(self.graph, self.values)
            if self.rarely(0.15):
                self.bodies(made, self.values, 2)
            elif self.rarely(0.08):
                made.set_op("PartitionedCall")
                self.bodies(made, self.values, 1)
            self.values += [(made, index) for index in range(made.output_count)]

    def output(self) -> None:
        for _ in range(self.chance.choice([0, 1, 1, 1])):
            read = [self.chance.choice(self.values) for _ in range(self.chance.randrange(1, 5)) if self.values]
            node = self.graph.create_node("NetOutput", read, name=self.name(), output_count=0)
            self.decorate(node, 0)

    def controls(self) -> None:
        nodes = self.graph.topological_order()
        for _ in range(self.chance.randrange(2 + self.size // 2) if len(nodes) > 1 else 0):
            first, second = sorted(self.chance.sample(range(len(nodes)), 2))
            source, target = nodes[first], nodes[second]
            if target.type != "Data" and source.type != "NetOutput":
                self.graph.add_control_edge(source, target)

    def shuffle(self) -> None:
        if self.rarely(0.4):
            for node in self.chance.sample(self.graph.get_direct_nodes(), len(self.graph.get_direct_nodes())):
                node.move_before(None)


def random_graph(seed: int, size: int, change: Callable[[Graph], None] | None = None) -> Graph:
    """A graph of about `size` operators: captures at several depths, control edges, constants with and without
    sources, nodes without outputs, dead nodes, an output node or none, names that a split makes, list orders that
    are not topological, own descriptors, attributes of inputs and outputs."""
    builder = _Builder(seed, size)
    builder.leaves()
    builder.operators()
    builder.output()
    builder.controls()
    builder.shuffle()
    if builder.rarely(0.2):
        builder.graph.set_attr("_dynamic_shape_partitioned", False)
    if change is not None:
        change(builder.graph)
    return builder.graph
