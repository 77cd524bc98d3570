"""Shapes, descriptors and enumerations: plain objects, without the native library."""

from __future__ import annotations

import pytest
from ge.graph import AttrValueType, DataType, Format, Graph, Shape, TensorDesc
from ge.graph._dtypes import byte_size, dtype_from_onnx, info


def test_shape_sizes():
    assert Shape([2, 3]).get_shape_size() == 6
    assert Shape([]).get_shape_size() == 1 and Shape().is_scalar()
    assert Shape([2, -1]).get_shape_size() == -1 and Shape([-2]).get_shape_size() == -1
    assert Shape([0, 5]).get_shape_size() == 0


def test_shape_reading():
    shape = Shape([2, -1])
    assert shape.get_dims() == shape.dims == [2, -1] == list(shape)
    assert (shape.get_dim_num(), shape.get_dim(0), len(shape), shape[1]) == (2, 2, 2, -1)
    assert shape.is_unknown_shape() and Shape([-2]).is_unknown_shape() and not Shape([2]).is_unknown_shape()
    assert Shape([-2]).is_unknown_rank and Shape([-2]).get_dim_num() == 0
    assert shape == [2, -1] == Shape((2, -1)) and shape != Shape([2]) and hash(shape) == hash(Shape([2, -1]))


def test_symbols():
    shape = Shape(["batch", 3])
    assert shape.dims == [-1, 3] and shape.symbols == ("batch", None)
    assert shape == Shape([-1, 3], symbols=["batch", None]) != Shape([-1, 3])
    assert repr(shape) == "Shape(['batch', 3])" and repr(Shape.unset()) == "Shape.unset()"


@pytest.mark.parametrize(
    ("dims", "error", "words"),
    [
        (3, TypeError, "shape must be a list of int, found int: 3"),
        ("ab", TypeError, "shape must be a list of int, found str"),
        ([1.5], TypeError, "found 1.5 at position 0"),
        ([2, None], TypeError, "found None at position 1"),
        ([True], TypeError, "found True at position 0"),
        ([-3], ValueError, "has -3 at position 0"),
        ([2, -2], ValueError, "has -2 at position 1"),
        ([2**63], ValueError, "at position 0"),
    ],
)
def test_bad_shapes(dims, error, words):
    with pytest.raises(error, match=words):
        Shape(dims)


def test_bad_symbols():
    with pytest.raises(ValueError, match="1 symbols were given for 2 dimensions"):
        Shape([1, 2], symbols=["a"])
    with pytest.raises(TypeError, match="symbol must be str or None, found 1"):
        Shape([-1], symbols=[1])


def test_descriptor_setters_chain():
    desc = TensorDesc()
    assert (desc.shape, desc.format, desc.data_type) == ([], Format.FORMAT_ND, DataType.DT_FLOAT)
    same = (
        desc.set_shape([1, 2])
        .set_format(Format.FORMAT_NCHW)
        .set_data_type(DataType.DT_INT8)
        .set_origin_shape([2])
        .set_origin_format(Format.FORMAT_NHWC)
    )
    assert same is desc
    assert desc.get_shape() == [1, 2] and desc.get_origin_shape() == [2] and desc.get_data_type() is DataType.DT_INT8
    assert desc.get_format() is Format.FORMAT_NCHW and desc.get_origin_format() is Format.FORMAT_NHWC
    assert TensorDesc([3]).origin_shape == [3] and TensorDesc().origin_format is Format.FORMAT_ND
    assert repr(TensorDesc([3])) == "TensorDesc(Shape([3]), FORMAT_ND, DT_FLOAT)"


@pytest.mark.parametrize(
    ("name", "value"),
    [("data_type", 0), ("format", 2), ("origin_format", "ND"), ("shape", 4), ("origin_shape", 4), ("type_text", 4)],
)
def test_descriptor_types(name, value):
    with pytest.raises(TypeError, match=name.replace("origin_shape", "shape")):
        setattr(TensorDesc(), name, value)


def every_descriptor():
    yield TensorDesc([2, 3], Format.FORMAT_NHWC, DataType.DT_STRING)
    yield TensorDesc([])
    yield TensorDesc([-2], data_type=DataType.DT_UNDEFINED)
    yield TensorDesc(Shape.unset())
    yield TensorDesc(Shape(["n", 3, -1, "m"]))
    yield TensorDesc([1]).set_origin_shape([-2]).set_origin_format(Format(7))
    sequence = TensorDesc(Shape.unset())
    sequence.type_text = "seq(tensor(float))"
    yield sequence


def test_descriptors_survive_the_graph():
    node = Graph("g").create_node("Data")
    for desc in every_descriptor():
        node.update_output_desc(0, desc)
        assert node.get_output_desc(0) == desc
        assert node.get_output_desc(0).type_text == desc.type_text
        assert node.get_output_desc(0).shape.symbols == desc.shape.symbols


def test_numbers_of_the_enumerations():
    assert [DataType.DT_FLOAT, DataType.DT_BF16, DataType.DT_HIFLOAT4, DataType.DT_MAX] == [0, 27, 42, 43]
    assert [Format.FORMAT_HWCN, Format.FORMAT_END, Format.FORMAT_MAX] == [16, 52, 53]
    assert 5 not in [int(item) for item in DataType]
    assert int(AttrValueType.VT_LIST_LIST_INT) == 23


def test_vendor_formats_keep_their_number():
    assert Format(7) is Format(7) and Format(7) == 7 and Format(7).name == "FORMAT_VENDOR_7"
    with pytest.raises(ValueError, match="54 is not a valid Format"):
        Format(54)


def test_element_types_match_the_native_table():
    from ge.graph import _abi

    native = {f"DT_{item.name}": int(item) for item in _abi.GeIrDtype}
    assert native == {item.name: int(item) for item in DataType if item is not DataType.DT_MAX}
    kinds = {int(item) for item in _abi.GeIrAttrKind}
    assert kinds == {int(item) for item in AttrValueType}


def test_element_type_table():
    assert dtype_from_onnx(16) is DataType.DT_BF16 and dtype_from_onnx(0) is DataType.DT_UNDEFINED
    assert info(DataType.DT_INT4).bits == 4 and byte_size(DataType.DT_INT4, 3) == 2
    with pytest.raises(ValueError, match="ONNX element type 99 is not known"):
        dtype_from_onnx(99)
    import onnx

    for number in range(1, 25):
        name = onnx.TensorProto.DataType.Name(number)
        alias = {"BFLOAT16": "BF16", "FLOAT8E4M3FN": "FLOAT8_E4M3FN", "FLOAT8E5M2": "FLOAT8_E5M2"}.get(name, name)
        alias = alias.replace("FLOAT8E4M3FNUZ", "FLOAT8_E4M3FNUZ").replace("FLOAT8E5M2FNUZ", "FLOAT8_E5M2FNUZ")
        alias = alias.replace("FLOAT4E2M1", "FLOAT4_E2M1").replace("FLOAT8E8M0", "FLOAT8_E8M0")
        assert dtype_from_onnx(number).name == f"DT_{alias}"
