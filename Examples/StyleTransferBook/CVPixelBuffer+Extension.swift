import CoreImage
import CoreVideo

extension CVPixelBuffer {
  /// The picture in the buffer, or nil when it cannot be made.
  func toCGImage() -> CGImage? {
    let image = CIImage(cvPixelBuffer: self)
    return CIContext().createCGImage(image, from: image.extent)
  }
}
