import CoreGraphics
import Dispatch
import Foundation
import ImageIO

/// Writes the painting that it receives as a delegate to a file.
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

  /// Waits until the painting is written. Returns nil then, or the reason for a failure.
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
