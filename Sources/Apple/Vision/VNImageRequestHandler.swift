import CoreGraphics
import CoreImage
import CoreVideo
import Foundation
import ImageIO

/// Performs requests on one picture.
///
/// Without a given orientation, that of a file is honoured and other pictures are upright.
open class VNImageRequestHandler: NSObject {
  private let image: RequestImage

  private init(_ source: RequestImage.Source, _ orientation: CGImagePropertyOrientation?) {
    image = RequestImage(source, orientation: orientation)
  }

  /// Makes a handler of a picture.
  public convenience init(cgImage image: CGImage, options: [VNImageOption: Any] = [:]) {
    self.init(.cgImage(image), nil)
  }

  /// Makes a handler of a picture in a given orientation.
  public convenience init(
    cgImage image: CGImage, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(.cgImage(image), orientation)
  }

  /// Makes a handler of a picture.
  public convenience init(ciImage image: CIImage, options: [VNImageOption: Any] = [:]) {
    self.init(.ciImage(image), nil)
  }

  /// Makes a handler of a picture in a given orientation.
  public convenience init(
    ciImage image: CIImage, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(.ciImage(image), orientation)
  }

  /// Makes a handler of a pixel buffer.
  public convenience init(
    cvPixelBuffer pixelBuffer: CVPixelBuffer, options: [VNImageOption: Any] = [:]
  ) {
    self.init(.pixelBuffer(pixelBuffer), nil)
  }

  /// Makes a handler of a pixel buffer in a given orientation.
  public convenience init(
    cvPixelBuffer pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(.pixelBuffer(pixelBuffer), orientation)
  }

  /// Makes a handler of a picture file.
  public convenience init(url imageURL: URL, options: [VNImageOption: Any] = [:]) {
    self.init(.file(imageURL), nil)
  }

  /// Makes a handler of a picture file in a given orientation.
  public convenience init(
    url imageURL: URL, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(.file(imageURL), orientation)
  }

  /// Makes a handler of the bytes of a picture file.
  public convenience init(data imageData: Data, options: [VNImageOption: Any] = [:]) {
    self.init(.data(imageData), nil)
  }

  /// Makes a handler of the bytes of a picture file in a given orientation.
  public convenience init(
    data imageData: Data, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    self.init(.data(imageData), orientation)
  }

  /// Performs requests one after another; each calls its completion handler. All are performed
  /// before the first error is thrown.
  open func perform(_ requests: [VNRequest]) throws {
    try performAll(requests, on: image)
  }
}

/// Performs all requests and throws the first error.
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
