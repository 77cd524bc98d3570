"""Constants of every element type, in every form a file may hold them, and external data."""

from __future__ import annotations

import os

import numpy as np
import onnx
import pytest
from ge.graph import DataType
from ge.onnx import OnnxImportError, from_model_proto, load_model, save_model, to_model_proto
from ge.onnx._tensors import fill_tensor_proto, tensor_from_proto, tensor_view
from onnx import TensorProto, numpy_helper

_ELEMENTS = [
    (name, number)
    for name, number in TensorProto.DataType.items()
    # The 6-bit floats of newer releases have no packed form here yet.
    if name not in ("UNDEFINED", "STRING", "FLOAT6E2M3", "FLOAT6E3M2")
]


def _array(number):
    dtype = onnx.helper.tensor_dtype_to_np_dtype(number)  # noqa: TID251 - tests need the table
    values = np.array([[0, 1, 1], [1, 0, 1]])
    return values.astype(dtype)


@pytest.mark.parametrize(("name", "number"), _ELEMENTS)
@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
def test_every_element_type_in_both_forms(name, number, raw):
    array = _array(number)
    if raw:
        proto = numpy_helper.from_array(array, "t")
        assert proto.HasField("raw_data")
    else:
        values = array.astype(np.float64).ravel() if number not in (14, 15) else array.ravel()
        proto = onnx.helper.make_tensor("t", number, array.shape, values)  # noqa: TID251 - it writes the typed form
    assert proto.data_type == number
    tensor = tensor_from_proto(proto, None)
    made = TensorProto()
    fill_tensor_proto(made, tensor, "t")
    assert (made.data_type, list(made.dims), made.name) == (number, [2, 3], "t")
    left, right = numpy_helper.to_array(made), numpy_helper.to_array(proto)
    assert left.dtype == right.dtype
    assert left.tobytes() == right.tobytes()


def test_negative_values_of_narrow_types_in_int32_data():
    proto = TensorProto(data_type=TensorProto.INT8, dims=[3], int32_data=[-1, -128, 127])
    assert tensor_from_proto(proto, None).numpy().tolist() == [-1, -128, 127]
    packed = TensorProto(data_type=TensorProto.INT4, dims=[3], int32_data=[0x1F, 0x08])
    assert [int(item) for item in tensor_from_proto(packed, None).numpy()] == [-1, 1, -8]
    unsigned = TensorProto(data_type=TensorProto.UINT32, dims=[1], uint64_data=[2**32 - 1])
    assert tensor_from_proto(unsigned, None).numpy().tolist() == [2**32 - 1]


@pytest.mark.parametrize("items", [[b"a", b"", b"\xff\x00", "日本".encode()], []])
def test_strings_are_bytes_of_any_kind(items):
    proto = TensorProto(data_type=TensorProto.STRING, dims=[len(items)], string_data=items, name="s")
    made = TensorProto()
    fill_tensor_proto(made, tensor_from_proto(proto, None), "s")
    assert made == proto


@pytest.mark.parametrize("dims", [[0], [2, 0, 3], []])
def test_empty_and_scalar(dims):
    proto = TensorProto(data_type=TensorProto.FLOAT, dims=dims, raw_data=b"" if 0 in dims else b"\0\0\x80\x3f")
    tensor = tensor_from_proto(proto, None)
    made = TensorProto()
    fill_tensor_proto(made, tensor, "")
    assert made == proto


def test_large_raw_data_is_used_in_place():
    data = np.arange(1 << 16, dtype=np.float32)
    tensor = tensor_from_proto(numpy_helper.from_array(data), None)
    assert bytes(tensor_view(tensor)) == data.tobytes()
    assert tensor.numpy()[-1] == (1 << 16) - 1


@pytest.mark.parametrize(
    ("proto", "text"),
    [
        (TensorProto(name="t", data_type=1, dims=[3], raw_data=b"\0" * 8), "12"),
        (TensorProto(name="t", data_type=1, dims=[3], float_data=[1.0]), "12"),
        (TensorProto(name="t", data_type=1, dims=[-1], raw_data=b""), "dims [-1] have a negative size"),
        (TensorProto(name="t", data_type=0, dims=[1]), "the element type is UNDEFINED"),
        (TensorProto(name="t", data_type=99, dims=[1]), "ONNX element type 99 is not known"),
        (TensorProto(name="t", data_type=8, dims=[2], string_data=[b"a"]), "dims [2] need 2 strings, found 1"),
        (
            TensorProto(name="t", data_type=8, dims=[1], raw_data=b"a"),
            "a string tensor has raw_data, expected string_data",
        ),
    ],
)
def test_damaged_data_is_one_error_that_names_the_tensor(proto, text):
    with pytest.raises(OnnxImportError) as caught:
        tensor_from_proto(proto, None)
    assert str(caught.value).startswith("tensor 't': ")
    assert text in str(caught.value)


# -- external data


@pytest.fixture
def external(tmp_path, parse):
    """A model whose initializer lies in a file next to it; gives the model and its folder."""
    folder = tmp_path / "model folder"
    folder.mkdir()
    (folder / "w.bin").write_bytes(b"\xee" * 16 + np.arange(4, dtype=np.float32).tobytes())
    model = parse("g (float[4] x) => (float[4] y) <float[4] w = {0,0,0,0}> { y = Add(x, w) }")
    tensor = model.graph.initializer[0]
    tensor.Clear()
    tensor.name, tensor.data_type, tensor.data_location = "w", 1, TensorProto.EXTERNAL
    tensor.dims.append(4)
    _place(tensor, location="w.bin", offset="16", length="16")
    return model, folder


def _place(tensor, **entries):
    del tensor.external_data[:]
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)


def _save(model, folder):
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    return folder / "m.onnx"


def test_external_data_is_mapped(external):
    model, folder = external
    value = load_model(_save(model, folder)).find_node_by_name("w").get_attr("value")
    assert value._info()[2] is True
    assert value.numpy().tolist() == [0, 1, 2, 3]


def test_length_and_offset_may_be_left_out(external):
    model, folder = external
    (folder / "w.bin").write_bytes(np.arange(4, dtype=np.float32).tobytes())
    _place(model.graph.initializer[0], location="w.bin")
    assert load_model(_save(model, folder)).find_node_by_name("w").get_attr("value").numpy().tolist() == [0, 1, 2, 3]


def test_a_model_given_as_proto_needs_the_folder(external):
    model, folder = external
    assert from_model_proto(model, str(folder)).find_node_by_name("w").get_attr("value").numpy()[3] == 3
    with pytest.raises(OnnxImportError, match="the folder of the model is not known: pass base_dir="):
        from_model_proto(model)


def _absolute(folder):
    return str(folder / "w.bin")


def _link(folder):
    os.symlink(folder.parent / "secret", folder / "link.bin")
    return "link.bin"


def _linked_folder(folder):
    os.symlink(folder.parent, folder / "up")
    return "up/secret"


@pytest.mark.parametrize(
    ("location", "text"),
    [
        (_absolute, "is an absolute path"),
        (lambda folder: "../secret", "goes up with '..'"),
        (lambda folder: "a/../../secret", "goes up with '..'"),
        (lambda folder: "..\\secret", "goes up with '..'"),
        (_link, "is a link to "),
        (_linked_folder, "is a link to "),
        (lambda folder: "C:/secret", "is an absolute path"),
        (lambda folder: "w\0.bin", "holds a NUL"),
    ],
    ids=["absolute", "up", "inner up", "backslash", "link", "linked folder", "drive", "NUL"],
)
def test_external_data_outside_the_folder_is_refused(external, location, text):
    model, folder = external
    (folder.parent / "secret").write_bytes(b"\0" * 64)
    found = location(folder)
    _place(model.graph.initializer[0], location=found, length="16")
    with pytest.raises(OnnxImportError) as caught:
        load_model(_save(model, folder))
    message = str(caught.value)
    assert message.startswith(f"graph 'g': initializer 'w': external data location {found!r} {text}")
    assert f"expected a file inside the model's folder {os.path.realpath(folder)}" in message


def test_a_link_inside_the_folder_is_followed(external):
    model, folder = external
    os.symlink("w.bin", folder / "link.bin")
    _place(model.graph.initializer[0], location="link.bin", offset="16")
    assert load_model(_save(model, folder)).find_node_by_name("w").get_attr("value").numpy()[3] == 3


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        ({}, "external data without a location"),
        ({"location": "none.bin"}, "does not exist or is no regular file"),
        ({"location": "."}, "does not exist or is no regular file"),
        ({"location": "w.bin", "offset": "24", "length": "16"}, "needs bytes 24 to 40 of"),
        ({"location": "w.bin", "offset": "-4"}, "external data offset is '-4', expected a number of bytes"),
        ({"location": "w.bin", "length": "1e3"}, "external data length is '1e3', expected a number of bytes"),
        ({"location": "w.bin", "length": "12"}, "needs 16 bytes, but its external data in"),
        ({"location": "w.bin", "offset": "20"}, "w.bin"),
    ],
)
def test_a_wrong_place_is_one_error(external, entries, text):
    model, folder = external
    _place(model.graph.initializer[0], **entries)
    with pytest.raises(OnnxImportError) as caught:
        load_model(_save(model, folder))
    assert "'w'" in str(caught.value)
    assert text in str(caught.value)


def test_a_constant_of_a_node_may_be_external_too(external):
    model, folder = external
    node = model.graph.node.add(op_type="Constant", output=["k"])
    attribute = node.attribute.add(name="value", type=4)
    attribute.t.CopyFrom(model.graph.initializer[0])
    graph = load_model(_save(model, folder))
    assert graph.find_node_by_name("Constant").get_attr("value").numpy().tolist() == [0, 1, 2, 3]


def test_saving_with_external_data(external, run, same, tmp_path):
    model, folder = external
    graph = load_model(_save(model, folder))
    big = np.arange(2000, dtype=np.float32)
    import ge.graph

    graph.create_node("Const", name="big", attrs={"value": ge.graph.Tensor.from_numpy(big)})
    target = tmp_path / "out.onnx"
    save_model(graph, target, external_data=True)
    made = onnx.load(target, load_external_data=False)
    places = {tensor.name: tensor for tensor in made.graph.initializer}
    assert places["w"].data_location == TensorProto.DEFAULT  # small ones stay where viewers see them
    assert {entry.key: entry.value for entry in places["big"].external_data} == {
        "location": "out.onnx.data",
        "offset": "0",
        "length": "8000",
    }
    again = load_model(target)
    assert again.find_node_by_name("big").get_attr("value").numpy().tolist() == big.tolist()
    assert again.find_node_by_name("big").get_attr("value")._info()[2] is True
    # Writing over the very file that is mapped must not disturb the mapping.
    save_model(again, target, external_data=True)
    assert load_model(target).find_node_by_name("big").get_attr("value").numpy()[1999] == 1999
    assert sorted(os.listdir(tmp_path)) == ["model folder", "out.onnx", "out.onnx.data"]


def test_offsets_of_big_constants_can_be_mapped(parse, tmp_path):
    import ge.graph

    graph = from_model_proto(parse("g (float[1] x) => (float[1] y) { y = Neg(x) }"))
    for index, count in enumerate((300, 2000, 300, 5000)):
        value = ge.graph.Tensor.from_numpy(np.full(count, index, np.float32))
        graph.create_node("Const", name=f"c{index}", attrs={"value": value})
    save_model(graph, tmp_path / "m.onnx", external_data=True)
    made = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    offsets = [int(tensor.external_data[1].value) for tensor in made.graph.initializer]
    assert offsets == [0, 4096, 12096, 16384]
    again = load_model(tmp_path / "m.onnx")
    for index, count in enumerate((300, 2000, 300, 5000)):
        assert again.find_node_by_name(f"c{index}").get_attr("value").numpy().tolist() == [index] * count


def test_dtypes_of_constants_reach_the_descriptor(parse):
    graph = from_model_proto(parse("g () => (int8[2] w) <int8[2] w = {1,2}> { }"))
    desc = graph.find_node_by_name("w").get_output_desc(0)
    assert (desc.data_type, desc.shape.dims) == (DataType.DT_INT8, [2])
    assert to_model_proto(graph).graph.initializer[0].raw_data == b"\x01\x02"
