import CoreGraphics
import Imaging

/// Maps boxes in the input image of a model to the part of the picture from which that image was made.
///
/// These steps made the model's image from the picture: rotation to the upright picture, cropping to the region of
/// interest, rotation by 90° if the option asks for it, and scaling with cropping or with margins.
struct BoxMapping {
  private let mode: CropAndScale
  /// The part of the model's image that the picture covers, as fractions with the origin at the top left. With
  /// ``CropAndScale/centerCrop``, the part is larger than the image.
  private let covered: CGRect

  /// - Parameters:
  ///   - width: The number of columns in the region of interest of the upright picture.
  ///   - height: The number of rows in the region of interest.
  ///   - modelWidth: The number of columns in the model's image.
  ///   - modelHeight: The number of rows in the model's image.
  init(_ mode: CropAndScale, width: Int, height: Int, modelWidth: Int, modelHeight: Int) {
    self.mode = mode
    let (width, height) = mode.rotates ? (height, width) : (width, height)
    let across = Double(modelWidth) / Double(width)
    let down = Double(modelHeight) / Double(height)
    switch mode {
    case .scaleFill, .scaleFillRotate90CCW:
      covered = VNNormalizedIdentityRect
    case .scaleFit, .scaleFitRotate90CCW:
      let scale: Double = min(across, down)
      let columns = min(Double(modelWidth), max(1, (Double(width) * scale).rounded()))
      let rows = min(Double(modelHeight), max(1, (Double(height) * scale).rounded()))
      let left: Double = ((Double(modelWidth) - columns) / 2).rounded(.down)
      let top: Double = ((Double(modelHeight) - rows) / 2).rounded(.down)
      covered = CGRect(
        x: left / Double(modelWidth), y: top / Double(modelHeight),
        width: columns / Double(modelWidth), height: rows / Double(modelHeight))
    case .centerCrop:
      let scale: Double = max(across, down)
      let columns = min(Double(width), max(1, (Double(modelWidth) / scale).rounded()))
      let rows = min(Double(height), max(1, (Double(modelHeight) / scale).rounded()))
      let left: Double = ((Double(width) - columns) / 2).rounded(.down)
      let top: Double = ((Double(height) - rows) / 2).rounded(.down)
      covered = CGRect(
        x: -left / columns, y: -top / rows, width: Double(width) / columns,
        height: Double(height) / rows)
    }
  }

  /// Returns a box normalised to the region of interest, with the origin at the lower left.
  ///
  /// - Parameter box: A box as fractions of the model's image, with the origin at the top left.
  func normalizedRect(ofModelBox box: CGRect) -> CGRect {
    var x: CGFloat = (box.minX - covered.minX) / covered.width
    var y: CGFloat = (box.minY - covered.minY) / covered.height
    var (width, height) = (box.width / covered.width, box.height / covered.height)
    if mode.rotates {
      // A rotation by 90° counter-clockwise took the point (x, y) to (y, 1 − x).
      (x, y) = (1 - y - height, x)
      (width, height) = (height, width)
    }
    return CGRect(x: x, y: 1 - y - height, width: width, height: height)
  }
}
