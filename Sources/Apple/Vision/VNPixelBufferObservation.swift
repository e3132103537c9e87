import CoreVideo

/// An image output of a model, or a mask.
open class VNPixelBufferObservation: VNObservation {
  /// The image.
  public let pixelBuffer: CVPixelBuffer

  /// The name of the model's output; nil for a mask of a request of the framework.
  public let featureName: String?

  init(pixelBuffer: CVPixelBuffer, featureName: String?) {
    self.pixelBuffer = pixelBuffer
    self.featureName = featureName
    super.init(confidence: 1)
  }
}
