import Imaging

/// How a picture is brought to the size of a model's input. Raw values are Apple's.
public enum VNImageCropAndScaleOption: UInt, Sendable, Hashable {
  /// The short side is scaled to fit; what is too much of the long one is cut off on both ends.
  case centerCrop = 0
  /// The long side is scaled to fit; what is missing of the short one is black on both ends.
  case scaleFit = 1
  /// Both sides are scaled to fit.
  case scaleFill = 2
  /// The picture is turned by 90° counter-clockwise, then fitted as `scaleFit` does.
  case scaleFitRotate90CCW = 0x101
  /// The picture is turned by 90° counter-clockwise, then fitted as `scaleFill` does.
  case scaleFillRotate90CCW = 0x102

  var mode: CropAndScale {
    switch self {
    case .centerCrop: .centerCrop
    case .scaleFit: .scaleFit
    case .scaleFill: .scaleFill
    case .scaleFitRotate90CCW: .scaleFitRotate90CCW
    case .scaleFillRotate90CCW: .scaleFillRotate90CCW
    }
  }
}
