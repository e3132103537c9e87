/// The messages of ONNX, one struct per protobuf message.
///
/// `Scripts/generate_onnx.py` writes the types in `Generated/`. Their names follow the schema: `onnx.NodeProto` is
/// `ONNX.NodeProto`.
public enum ONNX {}
