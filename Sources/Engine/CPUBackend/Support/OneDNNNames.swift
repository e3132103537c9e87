import Operators
import COneDNN
import Graph

extension Layout {
  /// oneDNN's name of the layout.
  package var oneDNN: adnn_layout { self == .channelsLast ? ADNN_NHWC : ADNN_NCHW }
}

extension ElementType {
  /// oneDNN's name of the type; nil where the kernels here have none.
  package var oneDNN: adnn_type? {
    switch self {
    case .float32: return ADNN_F32
    case .bfloat16: return ADNN_BF16
    default: return nil
    }
  }
}
