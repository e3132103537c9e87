import Imaging

/// How an image is scaled to the size of a model's input. Raw values are Apple's.
public enum VNImageCropAndScaleOption: UInt, Sendable, Hashable {
  /// Keeps proportions. The shorter side fits the input, and the longer side is cropped equally at both ends.
  case centerCrop = 0
  /// Keeps proportions. The longer side fits the input, and the shorter side is padded with black equally at both ends.
  case scaleFit = 1
  /// Stretches or shrinks each side to the size of the input.
  case scaleFill = 2
  /// Rotates the image by 90° counter-clockwise, then scales as `scaleFit`.
  case scaleFitRotate90CCW = 0x101
  /// Rotates the image by 90° counter-clockwise, then scales as `scaleFill`.
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
