import Backends
import Operators
import COneDNN
import Graph

extension Layout {
  /// oneDNN's name of the layout.
  package var oneDNN: adnn_layout { self == .channelsLast ? ADNN_NHWC : ADNN_NCHW }
}

extension ElementType {
  /// oneDNN's name of the type, for those that its kernels here compute with.
  package var oneDNN: adnn_type? { self == .float32 || self == .bfloat16 ? dnnType : nil }
}
