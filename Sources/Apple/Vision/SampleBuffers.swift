import CoreMedia
import ImageIO

extension VNImageRequestHandler {
  /// Makes a handler for the pixel buffer of a video frame.
  public convenience init(
    cmSampleBuffer sampleBuffer: CMSampleBuffer, options: [VNImageOption: Any] = [:]
  ) {
    if let pixels = CMSampleBufferGetImageBuffer(sampleBuffer) {
      self.init(cvPixelBuffer: pixels, options: options)
    } else {
      self.init(ciImage: .empty(), options: options)
    }
  }

  /// Makes a handler for the pixel buffer of a video frame in a given orientation.
  public convenience init(
    cmSampleBuffer sampleBuffer: CMSampleBuffer, orientation: CGImagePropertyOrientation,
    options: [VNImageOption: Any] = [:]
  ) {
    if let pixels = CMSampleBufferGetImageBuffer(sampleBuffer) {
      self.init(cvPixelBuffer: pixels, orientation: orientation, options: options)
    } else {
      self.init(ciImage: .empty(), orientation: orientation, options: options)
    }
  }
}

extension VNSequenceRequestHandler {
  /// Performs requests on the pixel buffer of a video frame.
  public func perform(_ requests: [VNRequest], on sampleBuffer: CMSampleBuffer) throws {
    try perform(requests, on: sampleBuffer, orientation: .up)
  }

  /// Performs requests on the pixel buffer of a video frame in a given orientation.
  public func perform(
    _ requests: [VNRequest], on sampleBuffer: CMSampleBuffer,
    orientation: CGImagePropertyOrientation
  ) throws {
    let handler = VNImageRequestHandler(cmSampleBuffer: sampleBuffer, orientation: orientation)
    try handler.perform(requests)
  }
}
