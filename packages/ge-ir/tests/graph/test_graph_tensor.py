"""Constants: every element type, numpy without copies, files."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from ge.graph import DataType, Format, Graph, Placement, Shape, Tensor

INTS = ["INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"]
SMALL = {"INT4": (-8, 7), "UINT4": (0, 15), "INT2": (-2, 1), "UINT2": (0, 3), "UINT1": (0, 1)}
FLOATS = ["FLOAT", "FLOAT16", "DOUBLE", "BF16", "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT8_E4M3FNUZ", "FLOAT8_E5M2FNUZ"]


def dtype(name):
    return DataType[f"DT_{name}"]


@pytest.mark.parametrize("name", INTS)
def test_integer_types(name, no_leak):
    limits = np.iinfo(name.lower())
    values = [int(limits.min), 0, 1, int(limits.max)]
    tensor = Tensor(values, data_type=dtype(name))
    assert tensor.get_data() == values == tensor.data
    assert tensor.numpy().dtype == name.lower() and tensor.numpy().tolist() == values
    for bad in (int(limits.min) - 1, int(limits.max) + 1):
        with pytest.raises(ValueError, match=rf"{bad} is outside the range of DT_{name}"):
            Tensor([bad], data_type=dtype(name))
        if name not in ("INT64", "UINT64"):
            with pytest.raises(ValueError, match=rf"outside the range of DT_{name}"):
                Tensor(np.array([bad]), data_type=dtype(name))
    with pytest.raises(ValueError, match=rf"0\.5 .*is no integer and does not fit DT_{name}"):
        Tensor([0.5], data_type=dtype(name))
    assert Tensor([2.0], data_type=dtype(name)).data == [2]


@pytest.mark.parametrize("name", sorted(SMALL))
def test_small_integers_are_packed_low_bits_first(name, no_leak):
    low, high = SMALL[name]
    values = [high, low, low, high, high]
    tensor = Tensor(values, data_type=dtype(name))
    assert tensor.get_data() == values
    bits = int(name[-1])
    assert tensor.nbytes == (5 * bits + 7) // 8
    assert tensor.tobytes()[0] & ((1 << bits) - 1) == high & ((1 << bits) - 1)
    with pytest.raises(ValueError, match=rf"{high + 1} is outside the range of DT_{name}: {low} to {high}"):
        Tensor([high + 1], data_type=dtype(name))
    if hasattr(ml_dtypes, name.lower()):
        assert tensor.numpy().dtype.name == name.lower()
        assert tensor.numpy().astype(int).tolist() == values
        assert Tensor.from_numpy(tensor.numpy()).tobytes() == tensor.tobytes()


@pytest.mark.parametrize("name", FLOATS)
def test_float_types(name, no_leak):
    tensor = Tensor([[0.0, 1.0], [-1.5, 2]], data_type=dtype(name))
    assert tensor.get_data() == [[0.0, 1.0], [-1.5, 2.0]]
    assert tensor.get_shape() == [2, 2] and tensor.numpy().shape == (2, 2)
    again = Tensor.from_numpy(tensor.numpy())
    assert again.data_type is dtype(name) and again.tobytes() == tensor.tobytes()


def test_four_bit_floats_and_scales(no_leak):
    tensor = Tensor([0.5, -6.0, 1.0], data_type=DataType.DT_FLOAT4_E2M1)
    assert tensor.nbytes == 2 and tensor.get_data() == [0.5, -6.0, 1.0]
    scale = Tensor([2.0, 0.25], data_type=DataType.DT_FLOAT8_E8M0)
    assert scale.nbytes == 2 and scale.get_data() == [2.0, 0.25]


def test_other_types(no_leak):
    assert Tensor([True, 0, 1], data_type=DataType.DT_BOOL).data == [True, False, True]
    with pytest.raises(ValueError, match="2 does not fit DT_BOOL"):
        Tensor([2], data_type=DataType.DT_BOOL)
    assert Tensor([1 + 2j], data_type=DataType.DT_COMPLEX64).data == [1 + 2j]
    texts = Tensor([["a", ""], ["é漢", "x\0y"]], data_type=DataType.DT_STRING)
    assert texts.data == [["a", ""], ["é漢", "x\0y"]] and texts.numpy()[1, 0] == "é漢"
    assert Tensor.from_numpy(np.array(["a", "bc"])).data == ["a", "bc"]
    assert Tensor(b"\xff", data_type=DataType.DT_STRING, shape=[1]).data == [b"\xff"]
    with pytest.raises(ValueError, match=r"1 .*is no text"):
        Tensor([1], data_type=DataType.DT_STRING)


def test_types_without_numpy_form_keep_their_bytes(no_leak):
    tensor = Tensor.from_numpy(np.array([1, 2], np.uint8), data_type=DataType.DT_HIFLOAT8)
    assert tensor.tobytes() == b"\x01\x02"
    with pytest.raises(ValueError, match=r"DT_HIFLOAT8 has no numpy form; use Tensor.tobytes"):
        tensor.numpy()
    with pytest.raises(ValueError, match=r"DT_HIFLOAT8 has no numpy form"):
        Tensor([1.0], data_type=DataType.DT_HIFLOAT8)


def test_shapes(no_leak):
    assert Tensor(5).get_shape() == [] and Tensor(5).data == 5.0
    assert Tensor([]).get_shape() == [0] and Tensor([]).data == [] and Tensor([]).numpy().shape == (0,)
    assert Tensor().get_shape() == [0]
    assert Tensor(shape=[2, 2]).data == [[0.0, 0.0], [0.0, 0.0]]
    assert Tensor(shape=[2], data_type=DataType.DT_STRING).data == ["", ""]
    assert Tensor([1, 2, 3, 4], shape=(2, 2)).data == [[1, 2], [3, 4]]
    assert Tensor(([1, 2], (3, 4))).get_shape() == [2, 2]
    assert Tensor([1], shape=[]).data == 1.0
    assert Tensor(shape=[0, 3]).numpy().shape == (0, 3)
    assert Tensor([1, 2], shape=Shape([2])).shape == [2]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (lambda: {"data": [1, 2, 3], "shape": [2, 2]}, ValueError, r"shape \[2, 2\] needs 4 elements, but data has 3"),
        (lambda: {"data": np.ones(3), "shape": [4]}, ValueError, r"shape \[4\] needs 4 elements, but data has 3"),
        (lambda: {"data": [[1, 2], [3]]}, ValueError, r"ragged: item 0 has shape \[2\], item 1 has shape \[1\]"),
        (lambda: {"data": [[], []]}, TypeError, "inner list 0 is empty"),
        (lambda: {"data": {}}, TypeError, "data must be a list, a number or a numpy array, found dict"),
        (lambda: {"data": "text"}, TypeError, "data must be a list, a number or a numpy array, found str"),
        (lambda: {"data": [1], "file_path": "x"}, RuntimeError, "not both"),
        (lambda: {"data": [1], "data_type": 0}, TypeError, "data_type must be a DataType, found int: 0"),
        (lambda: {"data": [1], "format": 2}, TypeError, "format must be a Format"),
        (lambda: {"data": [1], "placement": 1}, TypeError, "placement must be a Placement"),
        (
            lambda: {"data": [1], "placement": Placement.PLACEMENT_DEVICE},
            ValueError,
            "PLACEMENT_DEVICE is not available",
        ),
        (lambda: {"data": [1], "shape": [-1]}, ValueError, "shape of a constant must be known"),
        (lambda: {"data": [1], "shape": 1}, TypeError, "shape must be a list of int"),
        (lambda: {"data": ["x"]}, ValueError, "'x' .*is no number and does not fit DT_FLOAT"),
        (lambda: {"data": [1e39]}, ValueError, "does not fit DT_FLOAT"),
    ],
)
def test_bad_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        Tensor(**arguments())


def test_placement(no_leak):
    tensor = Tensor([1])
    assert tensor.get_placement() is Placement.PLACEMENT_HOST
    with pytest.raises(ValueError, match="to_host needs a tensor with PLACEMENT_DEVICE"):
        tensor.to_host()
    with pytest.raises(NotImplementedError, match="to_device is not implemented"):
        tensor.to_device()


def test_numpy_is_a_read_only_view(no_leak):
    source = np.arange(6, dtype=np.int64).reshape(2, 3)
    tensor = Tensor.from_numpy(source)
    array = tensor.numpy()
    assert array.__array_interface__["data"][0] == source.__array_interface__["data"][0]
    assert array.tolist() == source.tolist() and not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1
    del tensor
    assert array[1, 2] == 5
    assert np.asarray(Tensor([1, 2]), dtype=np.int32).tolist() == [1, 2]


def test_copies_are_made_where_they_must_be(no_leak):
    source = np.arange(6, dtype=np.int32).reshape(2, 3)
    copied = Tensor.from_numpy(source, copy=True)
    turned = Tensor.from_numpy(source.T)
    swapped = Tensor.from_numpy(source.astype(">i4"))
    source[:] = 9
    assert copied.data == [[0, 1, 2], [3, 4, 5]]
    assert turned.data == [[0, 3], [1, 4], [2, 5]]
    assert swapped.data == [[0, 1, 2], [3, 4, 5]]
    assert Tensor.from_numpy(np.float32(2.5)).get_shape() == []


def test_from_numpy_errors():
    with pytest.raises(TypeError, match="from_numpy needs a numpy array, found list"):
        Tensor.from_numpy([1])
    with pytest.raises(ValueError, match="numpy dtype 'datetime64"):
        Tensor.from_numpy(np.array(["2020-01-01"], "datetime64[D]"))
    with pytest.raises(ValueError, match="float32 cannot be read as DT_INT8: the widths differ"):
        Tensor.from_numpy(np.ones(2, np.float32), data_type=DataType.DT_INT8)
    assert Tensor.from_numpy(np.ones(1, np.float32), data_type=DataType.DT_INT32).data == [0x3F800000]


def test_converting_arrays(no_leak):
    assert Tensor(np.array([[1, 2]]), data_type=DataType.DT_FLOAT16).numpy().dtype == np.float16
    with pytest.raises(ValueError, match="with a fraction do not fit DT_INT32"):
        Tensor(np.array([0.5]), data_type=DataType.DT_INT32)


def test_retyping_shares_the_bytes(no_leak):
    tensor = Tensor([1, 2], data_type=DataType.DT_INT32)
    node = Graph("g").create_node("Const", attrs={"value": tensor})
    assert tensor.set_format(Format.FORMAT_NCHW).set_data_type(DataType.DT_UINT32) is tensor
    assert (tensor.format, tensor.data_type, tensor.data) == (Format.FORMAT_NCHW, DataType.DT_UINT32, [1, 2])
    assert node.get_attr("value").data_type is DataType.DT_INT32
    assert tensor.get_tensor_desc().data_type is DataType.DT_UINT32
    with pytest.raises(ValueError, match="8 bytes of DT_UINT32 cannot be read as DT_INT8"):
        tensor.set_data_type(DataType.DT_INT8)
    with pytest.raises(TypeError):
        tensor.set_format(1)
    with pytest.raises(TypeError):
        tensor.set_data_type("float")


def test_files(tmp_path, no_leak):
    path = tmp_path / "data.bin"
    path.write_bytes(np.arange(8, dtype=np.float32).tobytes())
    read = Tensor(file_path=path, shape=[2, 4])
    assert read.data[1] == [4, 5, 6, 7] and not read.is_mapped
    mapped = Tensor.map_file(path, DataType.DT_FLOAT, [2, 2], offset=16)
    assert mapped.is_mapped and mapped.data == [[4, 5], [6, 7]]
    path.unlink()
    assert mapped.numpy()[0, 0] == 4


def test_file_errors(tmp_path):
    path = tmp_path / "short.bin"
    path.write_bytes(b"1234567")
    with pytest.raises(RuntimeError, match=r"short\.bin has 7 bytes, but DT_FLOAT of shape \[2\] needs 8"):
        Tensor(file_path=path, shape=[2])
    with pytest.raises(RuntimeError, match=r"cannot read .*none\.bin: No such file"):
        Tensor(file_path=tmp_path / "none.bin", shape=[2])
    with pytest.raises(TypeError, match="file_path must be str"):
        Tensor(file_path=3)
    with pytest.raises(RuntimeError, match=r"short\.bin"):
        Tensor.map_file(path, DataType.DT_FLOAT, [2])
    with pytest.raises(RuntimeError, match=r"none\.bin"):
        Tensor.map_file(tmp_path / "none.bin", DataType.DT_FLOAT, [1])
    with pytest.raises(ValueError, match="offset must not be negative, found -4"):
        Tensor.map_file(path, DataType.DT_INT8, [1], offset=-4)
    with pytest.raises(ValueError, match="DT_STRING has no fixed element size"):
        Tensor.map_file(path, DataType.DT_STRING, [1])


def test_references(no_leak):
    tensor = Tensor([1.0])
    for take in (copy.copy, copy.deepcopy):
        with pytest.raises(RuntimeError, match="Tensor cannot be copied"):
            take(tensor)
    with pytest.raises(TypeError, match="Tensor cannot be pickled"):
        pickle.dumps(tensor)
    assert repr(tensor) == "Tensor(DT_FLOAT, [1], 4 bytes)"


def test_a_missing_ml_dtypes_is_named():
    code = (
        "import sys; sys.modules['ml_dtypes'] = None\n"
        "from ge.graph import Tensor, DataType\n"
        "Tensor([1.0], data_type=DataType.DT_BF16)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError: converting DT_BF16 needs numpy type 'bfloat16' of the ml_dtypes package" in done.stderr
