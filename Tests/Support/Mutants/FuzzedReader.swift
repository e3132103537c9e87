/// The targets of fuzzing. There is one target for the files of each reader, and one for inputs that hold sizes.
package enum FuzzedReader: String, CaseIterable {
  /// Core ML models as protobuf messages: layers, small networks, classifiers and pipelines.
  case layers
  /// ML Programs as protobuf messages.
  case programs
  /// ML Programs as MIL text, as in compiled models.
  case text
  case onnx
  case tflite
  case keras
  case caffe
  case ncnn
  case pictures
  /// Intact models with inputs that hold sizes, indices and counts. Only the numbers in these inputs are damaged.
  case sizes

  /// Returns the number of mutants for this reader: `asked`, or a tenth of it for ``sizes``.
  package func count(of asked: Int) -> Int { self == .sizes ? max(1, asked / 10) : asked }
}
