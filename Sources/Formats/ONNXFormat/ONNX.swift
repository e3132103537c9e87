/// The messages of ONNX, one struct per protobuf message.
///
/// The types in `Generated/` are written by `Scripts/generate_onnx.py`; names follow the schema: `onnx.NodeProto` is
/// `ONNX.NodeProto`.
public enum ONNX {}
