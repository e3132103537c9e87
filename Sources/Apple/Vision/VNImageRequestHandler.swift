import CoreGraphics
import CoreImage
import CoreVideo
import Foundation
import ImageIO

/// Performs requests on one image.
///
/// If the caller gives no orientation, the handler applies the orientation that the image file states. An image without
/// such an orientation counts as upright.
open class VNImageRequestHandler: NSObject {
  private let image: RequestImage

  private init(_ source: RequestImage.Source, _ orientation: CGImagePropertyOrientation?) {
    image = RequestImage(source, orientation: orientation)
  }

  /// Makes a handler for an image.
  public convenience init(cgImage image: CGImage, options: [VNImageOption: Any] = [:]) {
    self.init(.cgImage(image), nil)
  }

  /// Makes a handler for an image in a given orientation.
  public convenience init(
    cgImage image: CGImage, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(.cgImage(image), orientation)
  }

  /// Makes a handler for an image.
  public convenience init(ciImage image: CIImage, options: [VNImageOption: Any] = [:]) {
    self.init(.ciImage(image), nil)
  }

  /// Makes a handler for an image in a given orientation.
  public convenience init(
    ciImage image: CIImage, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(.ciImage(image), orientation)
  }

  /// Makes a handler for a pixel buffer.
  public convenience init(
    cvPixelBuffer pixelBuffer: CVPixelBuffer, options: [VNImageOption: Any] = [:]
  ) {
    self.init(.pixelBuffer(pixelBuffer), nil)
  }

  /// Makes a handler for a pixel buffer in a given orientation.
  public convenience init(
    cvPixelBuffer pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(.pixelBuffer(pixelBuffer), orientation)
  }

  /// Makes a handler for an image file.
  public convenience init(url imageURL: URL, options: [VNImageOption: Any] = [:]) {
    self.init(.file(imageURL), nil)
  }

  /// Makes a handler for an image file in a given orientation.
  public convenience init(
    url imageURL: URL, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(.file(imageURL), orientation)
  }

  /// Makes a handler for the bytes of an image file.
  public convenience init(data imageData: Data, options: [VNImageOption: Any] = [:]) {
    self.init(.data(imageData), nil)
  }

  /// Makes a handler for the bytes of an image file in a given orientation.
  public convenience init(
    data imageData: Data, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(.data(imageData), orientation)
  }

  /// Performs requests one after another and calls their completion handlers. If a request fails, the method performs
  /// the remaining requests and then throws the first error.
  open func perform(_ requests: [VNRequest]) throws {
    try performAll(requests, on: image)
  }
}

/// Performs all requests. If requests fail, throws the first error after the last request.
func performAll(_ requests: [VNRequest], on image: RequestImage) throws {
  var failure: (any Error)?
  for request in requests {
    do {
      try request.run(on: image)
    } catch {
      failure = failure ?? error
    }
  }
  if let failure { throw failure }
}
