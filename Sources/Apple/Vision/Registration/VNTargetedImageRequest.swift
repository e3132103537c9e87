import CoreGraphics
import CoreImage
import CoreVideo
import Foundation
import ImageIO
import Imaging

/// A request that compares the handler's image with another image, its target.
open class VNTargetedImageRequest: VNImageBasedRequest {
  /// The target.
  let target: RequestImage

  // Not private: Swift would not initialise the properties of subclasses in other files.
  init(
    _ source: RequestImage.Source, _ orientation: CGImagePropertyOrientation?,
    _ completionHandler: VNRequestCompletionHandler?
  ) {
    target = RequestImage(source, orientation: orientation)
    super.init(completionHandler: completionHandler)
  }

  /// Makes a request with a pixel buffer as its target.
  public convenience init(
    targetedCVPixelBuffer pixelBuffer: CVPixelBuffer, options: [VNImageOption: Any] = [:],
    completionHandler: VNRequestCompletionHandler? = nil
  ) { self.init(.pixelBuffer(pixelBuffer), nil, completionHandler) }

  /// Makes a request with a pixel buffer in a given orientation as its target.
  public convenience init(
    targetedCVPixelBuffer pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:], completionHandler: VNRequestCompletionHandler? = nil
  ) { self.init(.pixelBuffer(pixelBuffer), orientation, completionHandler) }

  /// Makes a request with an image as its target.
  public convenience init(
    targetedCGImage cgImage: CGImage, options: [VNImageOption: Any] = [:],
    completionHandler: VNRequestCompletionHandler? = nil
  ) { self.init(.cgImage(cgImage), nil, completionHandler) }

  /// Makes a request with an image in a given orientation as its target.
  public convenience init(
    targetedCGImage cgImage: CGImage, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:], completionHandler: VNRequestCompletionHandler? = nil
  ) { self.init(.cgImage(cgImage), orientation, completionHandler) }

  /// Makes a request with an image as its target.
  public convenience init(
    targetedCIImage ciImage: CIImage, options: [VNImageOption: Any] = [:],
    completionHandler: VNRequestCompletionHandler? = nil
  ) { self.init(.ciImage(ciImage), nil, completionHandler) }

  /// Makes a request with an image in a given orientation as its target.
  public convenience init(
    targetedCIImage ciImage: CIImage, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:], completionHandler: VNRequestCompletionHandler? = nil
  ) { self.init(.ciImage(ciImage), orientation, completionHandler) }

  /// Makes a request with an image file as its target.
  public convenience init(
    targetedImageURL imageURL: URL, options: [VNImageOption: Any] = [:],
    completionHandler: VNRequestCompletionHandler? = nil
  ) { self.init(.file(imageURL), nil, completionHandler) }

  /// Makes a request with an image file in a given orientation as its target.
  public convenience init(
    targetedImageURL imageURL: URL, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:], completionHandler: VNRequestCompletionHandler? = nil
  ) { self.init(.file(imageURL), orientation, completionHandler) }

  /// Makes a request with the bytes of an image file as its target.
  public convenience init(
    targetedImageData imageData: Data, options: [VNImageOption: Any] = [:],
    completionHandler: VNRequestCompletionHandler? = nil
  ) { self.init(.data(imageData), nil, completionHandler) }

  /// Makes a request with the bytes of an image file in a given orientation as its target.
  public convenience init(
    targetedImageData imageData: Data, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:], completionHandler: VNRequestCompletionHandler? = nil
  ) { self.init(.data(imageData), orientation, completionHandler) }

  /// Returns the regions of interest of the handler's image and of the target. Throws if their sizes differ.
  func pictures(_ image: RequestImage) throws -> (image: Picture, target: Picture) {
    let pictures = (image: try image.upright(self), target: try target.upright(self))
    guard pictures.image.width == pictures.target.width,
      pictures.image.height == pictures.target.height
    else {
      throw VNError(
        .invalidImage,
        "The image is \(pictures.image.width) × \(pictures.image.height), and the target is"
          + " \(pictures.target.width) × \(pictures.target.height); expected images of the same size."
      )
    }
    return pictures
  }
}
