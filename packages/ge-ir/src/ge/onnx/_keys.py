"""Attribute keys under which import keeps what ONNX has beside operators, so that export can write it back.

All contain a dot, which no ONNX attribute name may, so they never meet an operator's own attributes. Lists that belong
together (keys and values of a map) are two attributes of equal length, because ONNX allows repeated keys.
"""

from __future__ import annotations

__all__ = [
    "ATTRIBUTE_DOC",
    "ATTRIBUTE_KIND",
    "DOC_STRING",
    "FUNCTION_ATTRIBUTES",
    "FUNCTION_DEFAULTS",
    "FUNCTION_DOMAIN",
    "FUNCTION_NAME",
    "INPUT_POSITION",
    "IR_VERSION",
    "METADATA_KEYS",
    "METADATA_VALUES",
    "MODEL_CONFIGURATION",
    "MODEL_DOC_STRING",
    "MODEL_DOMAIN",
    "MODEL_METADATA_KEYS",
    "MODEL_METADATA_VALUES",
    "MODEL_VERSION",
    "NODE_CONFIGURATION",
    "NODE_NAME",
    "OPSET_DOMAINS",
    "OPSET_VERSIONS",
    "OVERLOAD",
    "PREFIX",
    "PRODUCER_NAME",
    "PRODUCER_VERSION",
    "QUANT_KEYS",
    "QUANT_TENSORS",
    "SPARSE_INITIALIZER",
    "TRAINING_INFO",
    "TYPE",
]

PREFIX = "onnx."

# On the root graph: fields of ModelProto.
IR_VERSION = "onnx.ir_version"
PRODUCER_NAME = "onnx.producer_name"
PRODUCER_VERSION = "onnx.producer_version"
MODEL_DOMAIN = "onnx.model_domain"
MODEL_VERSION = "onnx.model_version"
MODEL_DOC_STRING = "onnx.model_doc_string"
MODEL_METADATA_KEYS = "onnx.model_metadata_keys"
MODEL_METADATA_VALUES = "onnx.model_metadata_values"
MODEL_CONFIGURATION = "onnx.configuration"  # list of serialized DeviceConfigurationProto
TRAINING_INFO = "onnx.training_info"  # list of serialized TrainingInfoProto

# On the root graph and on function graphs.
OPSET_DOMAINS = "onnx.opset_domains"
OPSET_VERSIONS = "onnx.opset_versions"

# On a function graph.
FUNCTION_NAME = "onnx.function_name"
FUNCTION_DOMAIN = "onnx.function_domain"
FUNCTION_ATTRIBUTES = "onnx.function_attributes"  # names without a default
FUNCTION_DEFAULTS = "onnx.function_defaults"  # list of serialized AttributeProto
OVERLOAD = "onnx.overload"  # also on a node that calls a function

# On graphs, nodes and (scope OUTPUT, or INPUT of a NetOutput) values.
DOC_STRING = "onnx.doc_string"
METADATA_KEYS = "onnx.metadata_keys"
METADATA_VALUES = "onnx.metadata_values"

# On nodes.
NODE_NAME = "onnx.name"  # the name in the file, where it was taken in the graph
NODE_CONFIGURATION = "onnx.device_configurations"  # list of serialized NodeDeviceConfigurationProto
ATTRIBUTE_DOC = "onnx.doc_string."  # + attribute name
ATTRIBUTE_KIND = "onnx.kind."  # + attribute name: ONNX kind where the stored one does not say it
INPUT_POSITION = "onnx.input_position"  # on a Const that is also a graph input: its place among them
SPARSE_INITIALIZER = "onnx.sparse_initializer"  # on a Const: serialized SparseTensorProto, instead of `value`

# On values.
TYPE = "onnx.type"  # type text, where a descriptor cannot say all of it
QUANT_KEYS = "onnx.quantization_keys"
QUANT_TENSORS = "onnx.quantization_tensors"
