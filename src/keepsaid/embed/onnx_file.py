"""Writes a neural network as an ONNX file, with numpy and the standard library only.

ONNX is protobuf: a message is a sequence of fields, and a field is its number and kind, then its value. The few messages
that a network needs are encoded here, so that making a model needs neither the `onnx` package nor torch. The field numbers
are those of the public `onnx.proto`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
TensorShape = Sequence[int | str]
"""Dimensions by number, or by name if they differ from call to call."""

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7
ELEMENT_TYPES = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int32": INT32, "int64": INT64}

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's fused operations, each of which takes several steps in plain ONNX."""

IR_VERSION, OPSET, MICROSOFT_OPSET = 9, 17, 1


def _varint(number: int) -> bytes:
    """Encode seven bits per byte, the lowest first; a negative number as its 64-bit complement."""
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _integer(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _block(field: int, value: bytes | str) -> bytes:
    """Encode text, bytes, or a nested message."""
    content = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _blocks(field: int, values: Iterable[bytes | str]) -> bytes:
    return b"".join(_block(field, value) for value in values)


def _real(field: int, value: float) -> bytes:
    return _varint(field << 3 | 5) + struct.pack("<f", value)


def _tensor(name: str, value: Array) -> bytes:
    dims = b"".join(_integer(1, size) for size in value.shape)
    # The file is little-endian whatever the machine is.
    raw = value.astype(value.dtype.newbyteorder("<")).tobytes()
    return dims + _integer(2, ELEMENT_TYPES[value.dtype.name]) + _block(8, name) + _block(9, raw)


def _attribute(name: str, value: int | float) -> bytes:
    if isinstance(value, float):
        return _block(1, name) + _real(2, value) + _integer(20, 1)
    return _block(1, name) + _integer(3, value) + _integer(20, 2)


def _value_info(name: str, element: int, shape: TensorShape) -> bytes:
    sizes = (_block(2, size) if isinstance(size, str) else _integer(1, size) for size in shape)
    tensor = _integer(1, element) + _block(2, _blocks(1, sizes))
    return _block(1, name) + _block(2, _block(1, tensor))


class OnnxGraph:
    """Builds a network. Values are referenced by name; a name is generated unless one is given.

    >>> import numpy as np
    >>> graph = OnnxGraph()
    >>> graph.input("x", FLOAT, ["n"])
    'x'
    >>> graph.node("Add", "x", graph.constant(np.ones(1, np.float32)), name="y")
    'y'
    >>> graph.output("y", FLOAT, ["n"])
    >>> import onnxruntime
    >>> onnxruntime.InferenceSession(graph.file()).run(["y"], {"x": np.ones(2, np.float32)})
    [array([2., 2.], dtype=float32)]
    """

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []

    def input(self, name: str, element: int, shape: TensorShape) -> str:
        """Declare an input."""
        self._inputs.append(_value_info(name, element, shape))
        return name

    def output(self, name: str, element: int, shape: TensorShape) -> None:
        """Declare an output."""
        self._outputs.append(_value_info(name, element, shape))

    def constant(self, value: Array) -> str:
        """Add weights. Return their name."""
        name = f"constant{len(self._constants)}"
        self._constants.append(_tensor(name, value))
        return name

    def node(self, operation: str, *inputs: str, domain: str = "", name: str = "", **attributes: int | float) -> str:
        """Add an operation with one result. Return the result's name."""
        result = name or f"value{len(self._nodes)}"
        self._add(operation, inputs, (result,), domain, attributes)
        return result

    def nodes(self, operation: str, *inputs: str, results: int, **attributes: int | float) -> list[str]:
        """Add an operation with several results. Return their names."""
        names = [f"value{len(self._nodes)}.{number}" for number in range(results)]
        self._add(operation, inputs, names, "", attributes)
        return names

    def _add(
        self,
        operation: str,
        inputs: Sequence[str],
        results: Sequence[str],
        domain: str,
        attributes: Mapping[str, int | float],
    ) -> None:
        settings = _blocks(5, (_attribute(key, value) for key, value in attributes.items()))
        home = _block(7, domain) if domain else b""
        self._nodes.append(_blocks(1, inputs) + _blocks(2, results) + _block(4, operation) + settings + home)

    def file(self) -> bytes:
        """Return the content of the ONNX file."""
        graph = _blocks(1, self._nodes) + _block(2, "graph") + _blocks(5, self._constants)
        graph += _blocks(11, self._inputs) + _blocks(12, self._outputs)
        opsets = (("", OPSET), (MICROSOFT, MICROSOFT_OPSET))
        versions = _blocks(8, (_block(1, domain) + _integer(2, version) for domain, version in opsets))
        return _integer(1, IR_VERSION) + _block(2, "keepsaid") + _block(7, graph) + versions
