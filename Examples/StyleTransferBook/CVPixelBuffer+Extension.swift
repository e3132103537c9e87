import CoreImage
import CoreVideo

extension CVPixelBuffer {
  /// Converts the pixels of the buffer to a picture. Returns nil if their format is not supported.
  func toCGImage() -> CGImage? {
    let image = CIImage(cvPixelBuffer: self)
    return CIContext().createCGImage(image, from: image.extent)
  }
}
