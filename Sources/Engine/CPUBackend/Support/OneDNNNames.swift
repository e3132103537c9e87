import Backends
import Operators
import COneDNN
import Graph

extension Layout {
  /// The layout's name in oneDNN.
  package var oneDNN: adnn_layout { self == .channelsLast ? ADNN_NHWC : ADNN_NCHW }
}

extension ElementType {
  /// The type's name in oneDNN. Nil for types in which the engine does not use oneDNN's kernels.
  package var oneDNN: adnn_type? { self == .float32 || self == .bfloat16 ? dnnType : nil }
}
