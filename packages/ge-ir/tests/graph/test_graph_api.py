"""The names and signatures that users build on."""

from __future__ import annotations

import inspect

import ge.es
import ge.es.graph_builder
import ge.es.tensor_like
import ge.graph
import pytest
from ge.error import GeError

NAMES = {
    "Graph": """name get_all_nodes get_direct_nodes get_attr set_attr dump_to_file dump_to_stream
        save_to_air load_from_air
        remove_node remove_edge add_data_edge add_control_edge find_node_by_name get_all_subgraphs get_subgraph
        add_subgraph remove_subgraph _create_from _transfer_ownership_when_pass_as_subgraph
        create_node inputs outputs topological_order replace_all_uses transaction verify version parse to_text clone
        has_attr attr_names""",
    "Node": """name type get_in_control_nodes get_out_control_nodes get_in_data_nodes_and_port_indexes
        get_out_data_nodes_and_port_indexes get_attr set_attr get_input_attr set_input_attr get_output_attr
        set_output_attr get_inputs_size get_outputs_size has_attr get_input_desc update_input_desc get_output_desc
        update_output_desc inputs users subgraphs graph domain op_version attr_names""",
    "Tensor": """get_data data set_format get_format set_data_type get_data_type get_shape get_tensor_desc get_placement
        to_host to_device numpy from_numpy map_file""",
    "TensorDesc": """shape origin_shape format origin_format data_type set_shape set_origin_shape set_format
        set_origin_format set_data_type get_shape get_origin_shape get_format get_origin_format get_data_type""",
    "Shape": "get_shape_size is_unknown_shape get_dims get_dim_num get_dim",
    "DataType": "DT_FLOAT DT_STRING DT_MAX DT_HIFLOAT4 DT_UINT4",
    "Format": """FORMAT_NCHW FORMAT_NHWC FORMAT_ND FORMAT_HWCN FORMAT_NDHWC FORMAT_NCDHW FORMAT_DHWCN
        FORMAT_END FORMAT_MAX""",
    "Placement": "PLACEMENT_HOST PLACEMENT_DEVICE",
    "DumpFormat": "kOnnx kTxt kReadable",
    "InputType": "DATA REF_DATA AIPP_DATA ANY_DATA",
    "AttrValueType": "VT_INT VT_LIST_DATA_TYPE VT_LIST_LIST_INT VT_BYTES",
}
BUILDER = """
    create_input create_inputs create_const_int64 create_const_float create_const_uint64 create_const_int32
    create_const_uint32 create_vector_int64 create_scalar_int64 create_scalar_int32 create_scalar_float
    create_scalar_uint64 create_scalar_uint32 create_variable set_graph_output set_graph_attr_int64
    set_graph_attr_string set_graph_attr_bool set_tensor_attr_int64 set_tensor_attr_string set_tensor_attr_bool
    set_node_attr_int64 set_node_attr_string set_node_attr_bool add_control_dependency build_and_reset name
"""
HOLDER = (
    "name set_data_type set_format set_shape add sub mul div get_owner_builder _get_node_snapshot __radd__ __rsub__"
)


@pytest.mark.parametrize("cls", sorted(NAMES))
def test_classes_have_their_members(cls):
    found = set(dir(getattr(ge.graph, cls)))
    assert set(NAMES[cls].split()) - found == set()


def test_builder_and_holder_have_their_members():
    assert set(BUILDER.split()) - set(dir(ge.es.GraphBuilder)) == set()
    assert set(HOLDER.split()) - set(dir(ge.es.TensorHolder)) == set()
    assert callable(ge.es.graph_builder.attr_scope) and callable(ge.es.graph_builder.control_dependency_scope)
    assert callable(ge.es.tensor_like.convert_to_tensor_holder) and callable(ge.es.tensor_like.resolve_builder)


def test_all_lists_exactly_the_public_names():
    for module in (ge.graph, ge.es):
        assert all(getattr(module, name) is not None for name in module.__all__)
    assert set(NAMES) <= set(ge.graph.__all__)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda: ge.graph.Graph.__init__, "self name=graph"),
        (lambda: ge.graph.Graph.dump_to_file, "self format=2 suffix="),
        (lambda: ge.graph.Graph.remove_edge, "self src_node src_port_index dst_node dst_port_index"),
        (
            lambda: ge.graph.Tensor.__init__,
            "self data=None file_path=None data_type=0 format=2 shape=None placement=0",
        ),
        (lambda: ge.graph.TensorDesc.__init__, "self shape=None format=2 data_type=0"),
        (
            lambda: ge.es.GraphBuilder.create_input,
            "self index name=None type_str=Data data_type=0 format=2 shape=None",
        ),
        (lambda: ge.es.GraphBuilder.create_inputs, "self num start_index=0"),
        (lambda: ge.es.GraphBuilder.create_const_float, "self value shape=None"),
        (lambda: ge.es.GraphBuilder.build_and_reset, "self outputs=None"),
    ],
)
def test_signatures(function, expected):
    def shown(parameter):
        if parameter.default is parameter.empty:
            return parameter.name
        default = getattr(parameter.default, "value", parameter.default)
        return f"{parameter.name}={default}"

    assert " ".join(shown(item) for item in inspect.signature(function()).parameters.values()) == expected


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match=r"module 'ge.graph' has no attribute 'Grph'"):
        ge.graph.Grph  # noqa: B018
    with pytest.raises(AttributeError, match=r"module 'ge.es' has no attribute 'no_such_plugin'"):
        ge.es.no_such_plugin  # noqa: B018


def test_ge_error_keeps_its_parts_through_pickle():
    import pickle

    error = pickle.loads(pickle.dumps(GeError("no such node", "graph_find_node", {"status": "NOT_FOUND"})))
    assert isinstance(error, RuntimeError)
    assert (str(error), error.error_message, error.api_name) == ("no such node", "no such node", "graph_find_node")
    assert error.context == {"status": "NOT_FOUND"}
