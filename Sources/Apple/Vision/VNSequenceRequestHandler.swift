import CoreGraphics
import CoreImage
import CoreVideo
import Foundation
import ImageIO

/// Performs requests on a sequence of images.
open class VNSequenceRequestHandler: NSObject {
  /// Makes a handler.
  override public init() {
    super.init()
  }

  /// Performs requests on an image.
  open func perform(_ requests: [VNRequest], on image: CGImage) throws {
    try performAll(requests, on: RequestImage(.cgImage(image), orientation: nil))
  }

  /// Performs requests on an image in a given orientation.
  open func perform(
    _ requests: [VNRequest], on image: CGImage, orientation: CGImagePropertyOrientation
  ) throws {
    try performAll(requests, on: RequestImage(.cgImage(image), orientation: orientation))
  }

  /// Performs requests on an image.
  open func perform(_ requests: [VNRequest], on image: CIImage) throws {
    try performAll(requests, on: RequestImage(.ciImage(image), orientation: nil))
  }

  /// Performs requests on an image in a given orientation.
  open func perform(
    _ requests: [VNRequest], on image: CIImage, orientation: CGImagePropertyOrientation
  ) throws {
    try performAll(requests, on: RequestImage(.ciImage(image), orientation: orientation))
  }

  /// Performs requests on a pixel buffer.
  open func perform(_ requests: [VNRequest], on pixelBuffer: CVPixelBuffer) throws {
    try performAll(requests, on: RequestImage(.pixelBuffer(pixelBuffer), orientation: nil))
  }

  /// Performs requests on a pixel buffer in a given orientation.
  open func perform(
    _ requests: [VNRequest], on pixelBuffer: CVPixelBuffer,
    orientation: CGImagePropertyOrientation
  ) throws {
    try performAll(
      requests, on: RequestImage(.pixelBuffer(pixelBuffer), orientation: orientation))
  }

  /// Performs requests on an image file.
  open func perform(_ requests: [VNRequest], onImageURL imageURL: URL) throws {
    try performAll(requests, on: RequestImage(.file(imageURL), orientation: nil))
  }

  /// Performs requests on an image file in a given orientation.
  open func perform(
    _ requests: [VNRequest], onImageURL imageURL: URL, orientation: CGImagePropertyOrientation
  ) throws {
    try performAll(requests, on: RequestImage(.file(imageURL), orientation: orientation))
  }

  /// Performs requests on the bytes of an image file.
  open func perform(_ requests: [VNRequest], onImageData imageData: Data) throws {
    try performAll(requests, on: RequestImage(.data(imageData), orientation: nil))
  }

  /// Performs requests on the bytes of an image file in a given orientation.
  open func perform(
    _ requests: [VNRequest], onImageData imageData: Data, orientation: CGImagePropertyOrientation
  ) throws {
    try performAll(requests, on: RequestImage(.data(imageData), orientation: orientation))
  }
}
