import CoreGraphics
import Dispatch
import Foundation
import ImageIO

/// Waits for a painting and writes it to a file.
final class PaintingWriter: ImageProcessorDelegate {
  private let output: URL
  private let done = DispatchSemaphore(value: 0)
  private var failure: String?

  init(output: URL) {
    self.output = output
  }

  func onImageProcessorCompleted(status: Int, stylizedImage: CGImage?, reason: String?) {
    if status == 1, let stylizedImage {
      failure = write(stylizedImage) ? nil : "\(output.path) cannot be written."
    } else {
      failure = reason
    }
    done.signal()
  }

  /// The reason why there is no painting; nil when there is one.
  func wait() -> String? {
    done.wait()
    return failure
  }

  private func write(_ image: CGImage) -> Bool {
    guard
      let destination = CGImageDestinationCreateWithURL(
        output as CFURL, "public.png" as CFString, 1, nil)
    else { return false }
    CGImageDestinationAddImage(destination, image, nil)
    return CGImageDestinationFinalize(destination)
  }
}
