import CoreML
import Foundation

/// A custom layer in a shared library that rounds samples of 0…255 to a few equidistant values.
///
/// `Scripts/build_plugin.sh Examples/PosterizePlugin libPosterize.so` builds the library. `atelier … --plugin
/// libPosterize.so` loads it. Models then find the class by its name. The model's parameter "levels" is the number of
/// values. Without it, there are 4.
public final class PosterizeLambda: NSObject, MLCustomLayer {
  private let step: Float

  public required init(parameters: [String: Any]) throws {
    let levels: Int = (parameters["levels"] as? NSNumber)?.intValue ?? 4
    guard levels >= 2 else {
      throw MLModelError(
        .parameters,
        userInfo: [NSLocalizedDescriptionKey: "levels is \(levels), expected 2 or more."])
    }
    step = 255 / Float(levels - 1)
  }

  public func setWeightData(_ weights: [Data]) throws {}

  public func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
    inputShapes
  }

  public func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
    for (input, output) in zip(inputs, outputs) {
      input.withUnsafeBufferPointer(ofType: Float.self) { source in
        output.withUnsafeMutableBufferPointer(ofType: Float.self) { target, _ in
          for index in source.indices { target[index] = (source[index] / step).rounded() * step }
        }
      }
    }
  }
}
