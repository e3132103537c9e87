/// What is damaged: the files of one reader each, and inputs that hold sizes.
package enum FuzzedReader: String, CaseIterable {
  /// Core ML layers, networks of several, classifiers and pipelines, as messages.
  case layers
  /// ML Programs as messages.
  case programs
  /// ML Programs as the text of compiled models.
  case text
  case onnx
  case tflite
  case keras
  case caffe
  case pictures
  /// Whole models whose inputs hold sizes, positions and counts: their numbers are damaged.
  case sizes

  /// How many mutants are tried where a count was asked for: a tenth as many for sizes.
  package func count(of asked: Int) -> Int { self == .sizes ? max(1, asked / 10) : asked }
}
